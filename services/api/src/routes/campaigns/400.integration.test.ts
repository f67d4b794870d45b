import { afterAll, expect, test } from '@jest/globals';
import { acceptCampaign } from '@tidings/delivery/accept';
import { newCampaign } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const campaign = newCampaign({ applicationId: api.tenant.applicationId });
await acceptCampaign(api.db, campaign);

const lists = [
  'campaigns',
  `campaigns/${campaign.campaignId}/deliveries`,
  `campaigns/${campaign.campaignId}/events`,
];
const faults: readonly (readonly [string, string, string])[] = [
  ['limit=0', '/limit', 'out_of_range'],
  ['limit=501', '/limit', 'out_of_range'],
  ['limit=-1', '/limit', 'out_of_range'],
  ['limit=1.5', '/limit', 'wrong_type'],
  ['limit=1e2', '/limit', 'wrong_type'],
  ['limit=0x10', '/limit', 'wrong_type'],
  ['limit=ten', '/limit', 'wrong_type'],
  ['limit=%2010', '/limit', 'wrong_type'],
  ['limit=5&limit=6', '/limit', 'wrong_type'],
  ['cursor=x', '/cursor', 'invalid_value'],
  ['cursor=------------------------------------', '/cursor', 'invalid_value'],
  ['cursor=99999999999999999999', '/cursor', 'invalid_value'],
  ["cursor=' or 1=1", '/cursor', 'invalid_value'],
  ['cursor=%00', '/cursor', 'nul_not_allowed'],
];

test.each(
  lists.flatMap((list) => faults.map((fault) => [list.split('/').at(-1), list, ...fault] as const)),
)('%s: %s?%s is a fault of %s', async (_name, list, query, pointer, code) => {
  const { status, problem } = await api.request('GET', `${list}?${query}`, {
    headers: api.asServer,
  });

  expect(status).toBe(400);
  expect(problem).toMatchObject({ code: 'validation_failed', errors: [{ pointer, code }] });
});

test.each([
  ['campaigns', 'channel=email', '/channel'],
  [lists[1], 'cursor=019b0000-0000-7000-8000-000000000000', '/cursor'],
  ['campaigns', 'status=done', '/status'],
  ['campaigns', 'status=sending&status=queued', '/status'],
  ['campaigns', 'source=web', '/source'],
  [lists[1], 'status=ok', '/status'],
  [lists[1], 'reason=because', '/reason'],
  [lists[1], 'customUserId=a%00b', '/customUserId'],
])('%s?%s', async (list, query, pointer) => {
  const { status, problem } = await api.request('GET', `${list}?${query}`, {
    headers: api.asServer,
  });

  expect(status).toBe(400);
  expect(problem.errors).toMatchObject([{ pointer }]);
});

test.each(['limit=1', 'limit=500', 'limit=', 'cursor='])('%s is valid', async (query) => {
  for (const list of lists)
    expect((await api.request('GET', `${list}?${query}`, { headers: api.asServer })).status).toBe(
      200,
    );
});

test.each(['channel=', 'status=', 'source='])('campaigns?%s is valid', async (query) => {
  expect((await api.request('GET', `campaigns?${query}`, { headers: api.asServer })).status).toBe(
    200,
  );
});
