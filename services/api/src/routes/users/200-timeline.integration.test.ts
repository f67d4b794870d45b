import { afterAll, describe, expect, test } from '@jest/globals';
import { createSendingCampaign } from '@tidings/testing';
import { insertEvent, insertUser, readAll } from '../../testing/log-rows.ts';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant } = api;
const { applicationId } = tenant;
type Item = { readonly kind: string; readonly at: number; readonly [field: string]: unknown };
type Page = { readonly items: readonly Item[]; readonly nextCursor: string | null };
const get = <T = Page>(path: string) => api.request<T>('GET', path, { headers: api.asServer });

const campaign = await createSendingCampaign(db, { applicationId, recipients: ['ada'] });
const { rows } = await db.sql.query<{ id: string }>(
  'select id from users where application_id = $1',
  [applicationId],
);
const ada = String(rows[0]?.id);
const anonymous = await insertUser(db, applicationId, { mergedInto: ada });
for (const userId of [ada, ada, anonymous])
  await insertEvent(db, applicationId, { slug: 'click', userId });
await db.sql.query(
  `update users set clocks = '{"fields": {"firstName": [1750000000000, "u1"], "email": [1790000000000, "u2"]}, "custom": {"plan": [1750000000000, "u1"]}}' where id = $1`,
  [ada],
);

describe('GET users/{customUserId}/timeline', () => {
  test('has events, messages and profile changes, newest first', async () => {
    const { items, nextCursor } = (await get('users/ada/timeline')).body;

    expect(nextCursor).toBeNull();
    expect(items.map(({ kind }) => kind)).toEqual([
      'message',
      'profile',
      'event',
      'event',
      'event',
      'profile',
    ]);
    expect(items[0]).toMatchObject({
      message: {
        campaignId: campaign.campaignId,
        channel: 'EMAIL',
        status: 'failed',
        reason: 'channel_not_configured',
      },
    });
    expect(items.at(-1)).toEqual({
      kind: 'profile',
      at: 1_750_000_000_000,
      messageId: 'u1',
      fields: ['firstName', 'customAttributes.plan'],
    });
  });

  test.each([1, 2, 4])('pages by %i, each item once and in order', async (limit) => {
    const all = await readAll(
      async (cursor) =>
        (await get(`users/ada/timeline?limit=${limit}&cursor=${encodeURIComponent(cursor)}`)).body,
    );

    expect(all.pages).toBe(Math.ceil(6 / limit));
    expect(all.items).toEqual((await get('users/ada/timeline')).body.items);
  });

  test('400 for a cursor of another list, 404 for an unregistered user', async () => {
    expect((await get('users/ada/timeline?cursor=x')).status).toBe(400);
    expect((await get('users/unregistered/timeline')).status).toBe(404);
  });
});

describe('GET users/{customUserId}/held-events', () => {
  test('has the held events of an unregistered user, and none of a registered one', async () => {
    const newcomer = await insertUser(db, applicationId, { customUserId: 'newcomer' });
    const id = await insertEvent(db, applicationId, { slug: 'click', userId: newcomer });

    expect((await get('users/newcomer/held-events')).body.items).toMatchObject([
      { id, slug: 'click' },
    ]);
    expect((await get('users/ada/held-events')).body).toEqual({ items: [], nextCursor: null });
    expect((await get('users/unregistered/held-events')).status).toBe(404);
  });
});
