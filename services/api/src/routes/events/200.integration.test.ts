import { afterAll, describe, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { insertEvent, insertUser, readAll } from '../../testing/log-rows.ts';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, other } = api;
const { applicationId } = tenant;

type Item = {
  readonly id: string;
  readonly receivedAt: number;
  readonly slug: string;
  readonly name: string;
};
type Page = { readonly items: readonly Item[]; readonly nextCursor: string | null };

const list = async (query: string): Promise<Page> =>
  (await api.request<Page>('GET', `events?${query}`, { headers: api.asServer })).body;
const ids = async (query: string, limit = 50): Promise<string[]> =>
  (await readAll((cursor) => list(`${query}&limit=${limit}&cursor=${cursor}`))).items.map(
    ({ id }) => id,
  );

const start = Date.now() - 60_000;
const at = (seconds: number): Date => new Date(start + seconds * 1000);
const registered = await insertUser(db, applicationId, { customUserId: 'ada', isRegistered: true });
const anonymous = await insertUser(db, applicationId);
const merged = await insertUser(db, applicationId, { mergedInto: registered });
const requestId = systemIds.uuid();

await insertEvent(db, applicationId, {
  id: 'oldest',
  slug: 'click',
  userId: registered,
  receivedAt: at(1),
});
await insertEvent(db, applicationId, {
  id: 'before',
  slug: 'click',
  userId: merged,
  receivedAt: at(2),
});
await insertEvent(db, applicationId, {
  id: 'held',
  slug: 'click',
  userId: anonymous,
  receivedAt: at(3),
});
await insertEvent(db, applicationId, {
  id: 'order',
  slug: 'order',
  kind: 'businessEvent',
  receivedAt: at(4),
  requestId,
});
await insertEvent(db, applicationId, {
  id: 'former',
  slug: 'olden',
  userId: registered,
  receivedAt: at(5),
});
await insertEvent(db, applicationId, {
  id: 'of a deleted user',
  slug: 'click',
  userId: systemIds.uuid(),
  receivedAt: at(6),
});
await insertEvent(db, other.applicationId, { id: 'theirs', slug: 'click', receivedAt: at(6) });
await db.sql.query(
  "update definitions set merged_into = 'click' where application_id = $1 and slug = 'olden'",
  [applicationId],
);

describe('GET events', () => {
  test('are those of registered users and without a user, newest arrival first', async () => {
    const { items, nextCursor } = await list('');

    expect(items.map(({ id }) => id)).toEqual(['former', 'order', 'before', 'oldest']);
    expect(nextCursor).toBeNull();
    expect(items[0]).toEqual({
      id: 'former',
      type: 'action',
      slug: 'click',
      name: 'name of click',
      time: 1_760_000_000_000,
      receivedAt: at(5).getTime(),
      attributes: expect.any(Object),
      requestId: expect.any(String),
      customUserId: 'ada',
    });
    expect(items[1]).toMatchObject({ id: 'order', type: 'businessEvent', requestId });
    expect(items[1]).not.toHaveProperty('customUserId');
    expect(items[2]).toMatchObject({ id: 'before', customUserId: 'ada' });
  });

  test('keep every digit of integers', async () => {
    const { text } = await api.request('GET', 'events', { headers: api.asServer });

    expect(text).toContain('"big":9007199254740993');
  });

  test.each([1, 2, 3])('in pages of %d are complete and without duplicates', async (limit) => {
    expect(await ids('', limit)).toEqual(['former', 'order', 'before', 'oldest']);
  });

  test.each([
    ['definition=click', ['former', 'before', 'oldest']],
    ['definition=name of click', ['former', 'before', 'oldest']],
    ['definition=olden', ['former', 'before', 'oldest']],
    ['definition=nosuch', []],
    ['type=businessEvent', ['order']],
    ['type=revenue', []],
    ['type=action&definition=order', []],
    [`from=${at(2).getTime()}`, ['former', 'order', 'before']],
    [`to=${at(2).getTime()}`, ['oldest']],
    [`from=${at(2).getTime()}&to=${at(4).getTime()}`, ['before']],
    ['from=8640000000000000', []],
    ['to=0', []],
    [`requestId=${requestId}`, ['order']],
    [`requestId=${systemIds.uuid()}`, []],
  ])('?%s', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
    expect(await ids(query, 1)).toEqual(expected);
  });
});

test('a rare definition among many events is found by pages with a bounded scan each', async () => {
  await using own = await startTestApi();
  await insertEvent(own.db, own.tenant.applicationId, {
    id: 'rare',
    slug: 'rarer',
    receivedAt: at(0),
  });
  await insertEvent(own.db, own.tenant.applicationId, { slug: 'often', receivedAt: at(1) });
  await own.db.sql.query(
    `insert into events (request_id, message_index, application_id, message_id, type, slug, time, received_at)
     select uuidv7(), 0, $1, 'm' || n, 'action', 'often', n, $2::timestamptz + n * interval '1 microsecond' from generate_series(1, 20000) as n`,
    [own.tenant.applicationId, at(2)],
  );

  const { items, pages } = await readAll(
    async (cursor) =>
      (
        await own.request<Page>('GET', `events?definition=rarer&cursor=${cursor}`, {
          headers: own.asServer,
        })
      ).body,
  );

  expect(items.map(({ id }) => id)).toEqual(['rare']);
  expect(pages).toBe(3);
}, 30_000);
