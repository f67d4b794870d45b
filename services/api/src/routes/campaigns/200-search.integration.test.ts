import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AnswerOf } from '@tidings/api-spec/endpoint';
import type { listCampaignsEndpoint } from '@tidings/api-spec/endpoints/campaigns';
import { acceptCampaign } from '@tidings/delivery/accept';
import { createSendingCampaign, newCampaign } from '@tidings/testing';
import type { InTime } from '../../queries/search/in-time.ts';
import { insertCampaigns } from '../../testing/log-rows.ts';
import { startTestApi, type Headers } from '../../testing/test-api.ts';

let inTime: InTime;
const api = await startTestApi({ inTime: (...asked) => inTime(...asked) });
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, other, asServer } = api;
const { applicationId } = tenant;
beforeAll(() => {
  inTime = (_id, work) => db.transaction((sql) => work(sql, () => true));
});

type Page = AnswerOf<typeof listCampaignsEndpoint>;

const list = async (q: string, more = '', headers: Headers = asServer): Promise<Page> =>
  (await api.request('GET', `campaigns?q=${encodeURIComponent(q)}${more}`, { headers }))
    .body as never;
const ids = async (q: string, more = '', headers: Headers = asServer): Promise<string[]> =>
  (await list(q, more, headers)).items.map(({ campaignId }) => campaignId);
const accept = async (overrides: Partial<Parameters<typeof acceptCampaign>[1]>) => {
  const campaign = newCampaign({ applicationId, ...overrides });
  await acceptCampaign(db, campaign);
  return campaign;
};
const title = (text: string) => ({ message: { title: text, body: 'Text' } });

describe('GET campaigns?q= finds', () => {
  test('words of name, title and tags, newest first, test sends too', async () => {
    const first = await accept({ ...title('Winter sale'), tags: ['Newsletter'] });
    const second = await accept({ ...title('50 %'), name: 'The winter SALE, second wave' });
    const third = await accept({ ...title('Winter sale'), source: 'test' });
    await accept({ ...title('Winter') });
    await accept({ ...title('Winter sale'), applicationId: other.applicationId });

    const all = [third, second, first].map(({ campaignId }) => campaignId);
    expect(await ids('sale winter')).toEqual(all);
    expect(await list('newsletter WINTER')).toMatchObject({
      items: [{ campaignId: first.campaignId, message: { title: 'Winter sale' } }],
      nextCursor: null,
    });
    expect(await ids('%')).toEqual([second.campaignId]);
  });

  test('together with each other filter', async () => {
    const one = await accept({ ...title('Filtered'), channel: 'SMS', tags: ['t'] });
    const two = await accept({ ...title('Filtered'), source: 'dashboard' });

    expect(await ids('filtered', '&channel=SMS')).toEqual([one.campaignId]);
    expect(await ids('filtered', '&tag=t')).toEqual([one.campaignId]);
    expect(await ids('filtered', '&source=dashboard')).toEqual([two.campaignId]);
    expect(await ids('filtered', '&status=queued')).toHaveLength(2);
    expect(await ids('filtered', '&status=scheduled')).toEqual([]);
    expect(await ids(one.campaignId, '&channel=EMAIL')).toEqual([]);
  });

  test('the name and the tags that it has now', async () => {
    const { campaignId } = await accept({ ...title('Kept'), name: 'Earlier', tags: ['red'] });
    const patch = (body: object) =>
      api.request('PATCH', `campaigns/${campaignId}`, { headers: api.asAdmin, body });

    await patch({ name: 'Later' });
    expect(await ids('kept later red')).toEqual([campaignId]);
    await patch({ tags: ['blue'] });
    expect(await ids('kept later blue')).toEqual([campaignId]);
    for (const gone of ['kept earlier', 'kept red']) expect(await ids(gone)).toEqual([]);
  });

  test('the campaign of an id: its own, of a delivery, of its request', async () => {
    const { campaignId, requestId } = await createSendingCampaign(db, { applicationId });
    const { rows } = await db.sql.query<{ id: string }>(
      'select id from deliveries where campaign_id = $1',
      [campaignId],
    );
    const [delivery] = rows.map(({ id }) => id);

    for (const id of [campaignId, delivery, requestId, ` "${campaignId.toUpperCase()}",`]) {
      expect(await list(String(id))).toMatchObject({ items: [{ campaignId }], nextCursor: null });
      const headers = { 'X-Application-Id': other.applicationId, 'X-API-Key': other.serverKey };
      expect(await ids(String(id), '', headers)).toEqual([]);
    }
  });
});

test('GET campaigns?q= has pages', async () => {
  const all = [];
  for (let n = 0; n < 5; n += 1) all.unshift((await accept(title(`Paged ${n}`))).campaignId);

  const seen: string[][] = [];
  for (let cursor = ''; seen.length < 9;) {
    const page = await list('paged', `&limit=2&cursor=${cursor}`);
    seen.push(page.items.map(({ campaignId }) => campaignId));
    expect(page).not.toHaveProperty('lookedBackTo');
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }

  expect(seen).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4)]);
});

test('GET campaigns?q= says how far back a page searched, and goes on there', async () => {
  const { campaignId, createdAt } = await accept(title('Long ago'));
  await insertCampaigns(db, campaignId, 2_000);
  inTime = (_id, work) => db.transaction((sql) => work(sql, () => false));

  const first = await list('long ago');

  expect(first).toMatchObject({ items: [], nextCursor: expect.any(String) });
  expect(first.lookedBackTo).toBeGreaterThanOrEqual(createdAt);

  inTime = (_id, work) => db.transaction((sql) => work(sql, () => true));
  expect(await ids('long ago', `&cursor=${first.nextCursor}`)).toEqual([campaignId]);
});

test('GET campaigns?q= is 503 when it took too long, and a fault is one', async () => {
  inTime = () => Promise.resolve(null);
  const { status, problem, headers } = await api.request('GET', 'campaigns?q=a', {
    headers: asServer,
  });
  expect([status, problem.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '5']);

  for (const q of ['%20', 'x'.repeat(201)])
    expect(await api.request('GET', `campaigns?q=${q}`, { headers: asServer })).toMatchObject({
      status: 400,
      problem: { errors: [{ pointer: '/q' }] },
    });
});
