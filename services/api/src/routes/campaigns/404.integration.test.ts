import { afterAll, expect, test } from '@jest/globals';
import { acceptCampaign } from '@tidings/delivery/accept';
import { systemIds } from '@tidings/platform';
import { newCampaign } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const theirs = newCampaign({ applicationId: api.other.applicationId });
await acceptCampaign(api.db, theirs);

const ids = [
  ['an unknown id', systemIds.uuid()],
  ['what is no id', 'x'],
  ['U+0000', '%00'],
  ['a campaign of another tenant', theirs.campaignId],
] as const;

test.each(
  ids.flatMap(([name, id]) =>
    ['', '/deliveries', '/events'].map((rest) => [name, `campaigns/${id}${rest}`] as const),
  ),
)('%s: %s', async (_name, path) => {
  for (const headers of [api.asServer, api.asAdmin]) {
    const { status, problem } = await api.request('GET', path, { headers });

    expect([status, problem.code]).toEqual([404, 'not_found']);
  }
});

test('the list contains no campaign of another tenant', async () => {
  const { body } = await api.request(
    'GET',
    `campaigns?cursor=ffffffff-ffff-ffff-ffff-ffffffffffff`,
    { headers: api.asServer },
  );

  expect(body).toEqual({ items: [], nextCursor: null });
});
