import { afterAll, expect, test } from '@jest/globals';
import { SEARCH_SOURCES, type searchEndpoint } from '@tidings/api-spec/endpoints/search';
import type { AnswerOf } from '@tidings/api-spec/endpoint';
import { newCampaign, registerUsers } from '@tidings/testing';
import { acceptCampaign } from '@tidings/delivery/accept';
import type { InTime } from '../../queries/search/in-time.ts';
import { insertCampaigns } from '../../testing/log-rows.ts';
import { startTestApi } from '../../testing/test-api.ts';

let inTime: InTime;
const api = await startTestApi({ inTime: (...asked) => inTime(...asked) });
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asAdmin: headers } = api;
const { applicationId } = tenant;

const search = async (q: string): Promise<AnswerOf<typeof searchEndpoint>> =>
  (await api.request('GET', `search?q=${encodeURIComponent(q)}`, { headers })).body as never;

await registerUsers(db, applicationId, { 'ada-1': { firstName: 'Ada' } });
const found = newCampaign({
  applicationId,
  source: 'dashboard',
  message: { title: 'Ada writes', body: 'x' },
});
await acceptCampaign(db, found);

test('GET search names the sources that took too long', async () => {
  inTime = () => Promise.resolve(null);

  expect(await search('ada-1')).toEqual({
    items: [],
    incomplete: ['users', 'campaigns', 'automations', 'segments', 'templates', 'messages'],
  });
  expect((await search(found.campaignId)).incomplete).toEqual(['users', 'ids', 'messages']);
  expect((await search(`evt_${'1'.repeat(32)}`)).incomplete).toEqual(
    SEARCH_SOURCES.filter((source) => source !== 'ids'),
  );
});

test('GET search finds with the sources that were in time', async () => {
  let asked = 0;
  inTime = (_id, work) => {
    asked += 1;
    return asked === 1 ? Promise.resolve(null) : db.transaction((sql) => work(sql, () => true));
  };

  expect(await search('ada')).toMatchObject({
    items: [{ kind: 'campaign', title: 'Ada writes' }],
    incomplete: ['users'],
  });
});

test('GET search says when older campaigns were not searched', async () => {
  let hasTime = false;
  inTime = (_id, work) => db.transaction((sql) => work(sql, () => hasTime));
  await insertCampaigns(db, found.campaignId, 2_000);

  expect(await search('writes')).toEqual({ items: [], incomplete: ['campaigns'] });

  hasTime = true;
  expect(await search('writes')).toMatchObject({
    items: [{ id: found.campaignId }],
    incomplete: [],
  });
});

test('GET search finds a campaign with a name behind many of a back end', async () => {
  inTime = (_id, work) => db.transaction((sql) => work(sql, () => true));
  const named = newCampaign({ applicationId, name: 'Spring', message: { body: 'Text' } });
  const nameless = newCampaign({ applicationId, message: { title: 'Your code', body: 'x' } });
  await acceptCampaign(db, named);
  await acceptCampaign(db, nameless);
  await insertCampaigns(db, nameless.campaignId, 1_000);

  expect(await search('spring')).toMatchObject({ items: [{ title: 'Spring' }], incomplete: [] });
  expect(await search('your code')).toEqual({ items: [], incomplete: [] });
});
