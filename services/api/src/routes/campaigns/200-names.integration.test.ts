import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PushAccepted } from '@tidings/contracts/push/campaigns';
import { acceptCampaign } from '@tidings/delivery/accept';
import { configureChannel, newCampaign, registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asServer: headers } = api;
const { applicationId } = tenant;
const push = { recipients: ['ada'], channel: 'EMAIL', message: { title: 'Hi', body: 'Hi' } };
const HOUR_MS = 3_600_000;

const send = async (fields: object): Promise<string> =>
  (
    await api.request<PushAccepted>('POST', 'campaigns', {
      headers: api.asAdmin,
      body: { ...push, ...fields },
    })
  ).body.campaignId;
const read = async (campaignId: string) =>
  (await api.request('GET', `campaigns/${campaignId}`, { headers })).body;
const patch = (campaignId: string, body: unknown) =>
  api.request('PATCH', `campaigns/${campaignId}`, { headers: api.asAdmin, body });
async function taggedWith(tag: string, more = ''): Promise<string[]> {
  const path = `campaigns?tag=${encodeURIComponent(tag)}${more}`;
  const { status, text, body } = await api.request<{ items: { campaignId: string }[] }>(
    'GET',
    path,
    { headers },
  );
  if (status !== 200) throw new Error(text);
  return body.items.map(({ campaignId }) => campaignId);
}

beforeAll(async () => {
  await registerUsers(db, applicationId, { ada: { email: 'ada@example.org' } });
  await configureChannel(db, applicationId, 'EMAIL');
});

describe('name and tags of a campaign', () => {
  test('are kept as they were sent, in order, and shown by record, list and report', async () => {
    const names = { name: 'חזרה "הביתה", {a}', tags: ['z', 'Привет, мир', '{"a"}', 'NULL', '\\'] };

    const campaignId = await send(names);

    expect(await read(campaignId)).toMatchObject(names);
    const { body: report } = await api.request('GET', `campaigns/${campaignId}/report`, {
      headers,
    });
    expect(report['campaign']).toMatchObject(names);
    const { body: page } = await api.request<{ items: unknown[] }>('GET', 'campaigns?limit=1', {
      headers,
    });
    expect(page.items[0]).toMatchObject({ campaignId, ...names });
  });

  test('are null and empty where there are none, also of a version before', async () => {
    const campaign = newCampaign({ applicationId });
    await acceptCampaign(db, campaign);

    expect(await read(campaign.campaignId)).toMatchObject({ name: null, tags: [] });
    expect(await read(await send({ name: null, tags: null }))).toMatchObject({
      name: null,
      tags: [],
    });
  });

  test('belong to the request that an Idempotency-Key repeats', async () => {
    const body = { ...push, name: 'First' };
    const post = (fields: object) =>
      api.request<PushAccepted>('POST', 'campaigns', {
        headers: { ...headers, 'Idempotency-Key': 'named' },
        body: { ...body, ...fields },
      });

    const first = await post({});

    expect((await post({})).body.campaignId).toBe(first.body.campaignId);
    expect((await post({ name: 'Second' })).status).toBe(409);
  });

  test('are changed at any time, each alone, and null takes them away', async () => {
    const campaignId = await send({ name: 'Before', tags: ['before'] });

    expect(await patch(campaignId, { name: 'After' })).toMatchObject({
      status: 200,
      body: { name: 'After', tags: ['before'] },
    });
    expect((await patch(campaignId, { tags: ['b', 'a'] })).body).toMatchObject({
      name: 'After',
      tags: ['b', 'a'],
    });
    expect((await patch(campaignId, { name: null, tags: null })).body).toMatchObject({
      name: null,
      tags: [],
    });
  });

  test('are changed together with the time, or not at all', async () => {
    const sendAt = Date.now() + HOUR_MS;
    const scheduled = await send({ sendAt });
    const queued = await send({ name: 'Queued' });

    expect(await patch(scheduled, { name: 'Later', sendAt: sendAt + HOUR_MS })).toMatchObject({
      status: 200,
      body: { name: 'Later', schedule: { sendAt: sendAt + HOUR_MS } },
    });
    expect((await patch(queued, { name: 'Later', sendAt })).status).toBe(409);
    expect(await read(queued)).toMatchObject({ name: 'Queued', schedule: null });
  });

  test('are in the audit log with their values', async () => {
    const campaignId = await send({ name: 'Written', tags: ['one'] });
    await patch(campaignId, { name: 'Changed' });

    const { body } = await api.request<{ items: Record<string, unknown>[] }>('GET', 'audit', {
      headers: api.asAdmin,
    });
    expect(body.items.slice(0, 2)).toMatchObject([
      {
        action: 'PATCH campaigns/:campaignId',
        detail: { name: 'Changed' },
        target: { campaignId },
      },
      { action: 'POST campaigns', detail: { name: 'Written', tags: ['one'] } },
    ]);
  });

  test.each([
    [{}, '', 'empty'],
    [{ name: '' }, '/name', 'empty'],
    [{ tags: ['a', 'a'] }, '/tags', 'invalid_value'],
    [{ name: 'a', title: 'b' }, '/title', 'invalid_value'],
  ])('a change of %j is refused at %s', async (body, pointer, code) => {
    const campaignId = await send({ name: 'Kept' });

    expect(await patch(campaignId, body)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer, code }] },
    });
    expect(await read(campaignId)).toMatchObject({ name: 'Kept' });
  });

  test('a campaign of another application is not found', async () => {
    const other = await startTestApi();
    const campaignId = await send({ name: 'Ours' });

    const answer = await other.request('PATCH', `campaigns/${campaignId}`, {
      headers: other.asAdmin,
      body: { name: 'Theirs' },
    });

    expect(answer.status).toBe(404);
    expect(await read(campaignId)).toMatchObject({ name: 'Ours' });
    await other[Symbol.asyncDispose]();
  });
});

describe('the list of a tag', () => {
  test('has its campaigns, newest first, by pages and with other filters', async () => {
    const [first, second, third] = [
      await send({ tags: ['listed', 'x'] }),
      await send({ tags: ['Listed'] }),
      await send({ tags: ['listed'] }),
    ];

    expect(await taggedWith('listed')).toEqual([third, first]);
    expect(await taggedWith('listed', '&limit=1')).toEqual([third]);
    expect(await taggedWith('listed', `&cursor=${third}`)).toEqual([first]);
    expect(await taggedWith('listed', '&channel=SMS')).toEqual([]);
    expect(await taggedWith('Listed')).toEqual([second]);
    expect(await taggedWith('no such')).toEqual([]);
  });
});
