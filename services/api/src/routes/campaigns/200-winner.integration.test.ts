import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import { writeTemplate } from '@tidings/templates/templates';
import { drawOf } from '@tidings/platform';
import { configureEmail, expandAll, registerUsers, someIds } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asServer: headers } = api;
const { applicationId } = tenant;
const ids = someIds(80);

beforeAll(async () => {
  await configureEmail(db, applicationId);
  await registerUsers(db, applicationId, ids);
  for (const slug of ['a', 'b'])
    await writeTemplate(db, {
      applicationId,
      slug,
      name: slug,
      channel: 'EMAIL',
      message: { title: 'Hi', body: slug },
      variants: [],
      by: 'test',
    });
});

const push = {
  channel: 'EMAIL',
  recipients: ids,
  split: [
    { template: 'a', share: 1 },
    { template: 'b', share: 1 },
  ],
  winner: { percent: 50, by: 'opened', after: '90m' },
};
const post = async (path: string, body: unknown) => api.request('POST', path, { headers, body });
const get = async (path: string) => (await api.request('GET', path, { headers })).body;

async function begun(): Promise<string> {
  const { status, body } = await post('campaigns', push);
  expect(status).toBe(200);
  const campaignId = String(body['campaignId']);
  await expandAll(db, campaignId);
  return campaignId;
}
const rest = (campaignId: string) => ids.filter((id) => drawOf(campaignId, id) >= 0.5);

describe('a campaign that sends to a part first', () => {
  test('says when it decides, and how many wait', async () => {
    const campaignId = await begun();

    const record = (await get(`campaigns/${campaignId}`)) as unknown as CampaignRecord;
    expect(record.winner).toEqual({
      ...push.winner,
      decideAt: (record.timing.startedAt ?? 0) + 5_400_000,
      waiting: rest(campaignId).length,
      decision: null,
    });
    expect(await get(`campaigns/${campaignId}/templates`)).toMatchObject({ rest: null });
  });

  test('a draft of it says the same', async () => {
    const { body } = await post('drafts', { campaignId: await begun() });

    expect(body['content']).toMatchObject({ winner: push.winner });
  });

  test('the rest gets what a person chose, and is counted apart', async () => {
    const campaignId = await begun();

    const { status, body } = await post(`campaigns/${campaignId}/decision`, { index: 1 });
    await expandAll(db, campaignId);

    expect(status).toBe(200);
    const decision = { choice: 1, certainty: null, isManual: true, decidedAt: expect.any(Number) };
    expect(body['winner']).toMatchObject({ decision });
    const waited = rest(campaignId);
    const { items } = await get(`campaigns/${campaignId}/deliveries?limit=100`);
    const slugs = Object.fromEntries(
      (items as { customUserId: string; template: { slug: string } }[]).map((item) => [
        item.customUserId,
        item.template.slug,
      ]),
    );
    expect(Object.keys(slugs)).toHaveLength(ids.length);
    expect(new Set(waited.map((id) => slugs[id]))).toEqual(new Set(['b']));
    for (const id of waited.slice(0, 4)) {
      const { message } = (await post(`campaigns/${campaignId}/render`, { customUserId: id })).body;
      expect([slugs[id], message]).toEqual(['b', { title: 'Hi', body: 'b' }]);
    }
    expect(new Set(Object.values(slugs))).toEqual(new Set(['a', 'b']));
    expect(await get(`campaigns/${campaignId}/templates`)).toMatchObject({
      rest: { counts: { recipients: waited.length } },
    });
    expect((await post(`campaigns/${campaignId}/decision`, { index: 0 })).status).toBe(409);
  });

  test('there is no such template, or nothing to choose', async () => {
    const campaignId = await begun();
    const plain = await post('campaigns', { ...push, winner: null });

    const { status, body } = await post(`campaigns/${campaignId}/decision`, { index: 2 });
    expect([status, body['errors']]).toEqual([
      400,
      [{ pointer: '/index', code: 'out_of_range', expected: 'a place in its templates' }],
    ]);
    const other = `campaigns/${String(plain.body['campaignId'])}/decision`;
    expect((await post(other, { index: 0 })).status).toBe(409);
  });

  test('it gets no local time', async () => {
    const sendAt = Date.now() + 3_600_000;
    const { body } = await post('campaigns', { ...push, sendAt });
    const path = `campaigns/${String(body['campaignId'])}`;

    const local = { headers, body: { sendAtLocal: '2027-01-01T09:00' } };
    const { status, body: problem } = await api.request('PATCH', path, local);

    expect(status).toBe(400);
    expect(problem['errors']).toMatchObject([{ pointer: '/sendAtLocal' }]);
    expect(await get(path)).toMatchObject({ status: 'scheduled', winner: { decideAt: null } });
  });
});
