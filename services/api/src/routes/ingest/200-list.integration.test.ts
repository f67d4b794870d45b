import { afterAll, describe, expect, test } from '@jest/globals';
import type { LogEntry } from '@tidings/events/ingest-log/log-entry';
import { systemIds } from '@tidings/platform';
import { insertRejection, insertRequest, insertUser, readAll } from '../../testing/log-rows.ts';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, other } = api;
const { applicationId } = tenant;

type Page = {
  readonly items: readonly LogEntry[];
  readonly nextCursor: string | null;
  readonly lookedBackTo?: number;
};

const list = async (query: string, headers = api.asServer): Promise<Page> =>
  (await api.request<Page>('GET', `ingest?${query}`, { headers })).body;
const all = (query: string, limit: number) =>
  readAll((cursor) => list(`${query}&limit=${limit}&cursor=${cursor}`));

const start = Date.now() - 60_000;
const at = (seconds: number): Date => new Date(start + seconds * 1000);
const registered = await insertUser(db, applicationId, { customUserId: 'ada', isRegistered: true });
const anonymous = await insertUser(db, applicationId);
const merged = await insertUser(db, applicationId, { mergedInto: registered });

const oldest = await insertRequest(db, applicationId, {
  receivedAt: at(1),
  receipts: [
    { outcome: 'processed', type: 'user', reason: 'stale_profile_field' },
    { outcome: 'stored', userId: registered },
    { outcome: 'stored', userId: merged },
    { outcome: 'stored', userId: anonymous },
    { outcome: 'duplicate', reason: 'duplicate_id' },
    { outcome: 'dropped', reason: 'empty_name' },
  ],
});
const refusedEarly = await insertRejection(db, applicationId, { receivedAt: at(2) });
const undecided = await insertRequest(db, applicationId, {
  receivedAt: at(3),
  receipts: [
    { outcome: 'pending', type: 'user' },
    { outcome: 'stored', userId: anonymous },
  ],
});
const partial = await insertRequest(db, applicationId, {
  receivedAt: at(4),
  receipts: [{ outcome: 'dropped', reason: 'unknown_slug' }],
});
await insertRejection(db, applicationId, { requestId: partial, receivedAt: at(4), status: 200 });
const refusedLate = await insertRejection(db, applicationId, {
  receivedAt: at(5),
  code: 'ip_not_allowed',
  status: 403,
  address: '192.0.2.1',
  unlisted: 3,
});
await insertRequest(db, other.applicationId, {
  receivedAt: at(3),
  receipts: [{ outcome: 'dropped', reason: 'empty_name' }],
});
await insertRejection(db, other.applicationId, { receivedAt: at(3) });

/** Each entry as request:index:outcome. */
const names = new Map(
  [oldest, undecided, partial, refusedEarly, refusedLate].map((id, index) => [
    id,
    ['oldest', 'undecided', 'partial', 'rejected', 'late'][index],
  ]),
);
const inShort = (entry: LogEntry): string =>
  `${names.get(entry.requestId)}${'index' in entry ? entry.index : ''} ${entry.outcome}${'reason' in entry ? ` ${entry.reason}` : ''}`;

const EVERYTHING = [
  'late rejected',
  'partial0 dropped unknown_slug',
  'partial rejected',
  'undecided1 pending',
  'undecided0 pending',
  'rejected rejected',
  'oldest5 dropped empty_name',
  'oldest4 duplicate duplicate_id',
  'oldest3 held unregistered_user',
  'oldest2 processed',
  'oldest1 processed',
  'oldest0 processed stale_profile_field',
];

describe('GET ingest', () => {
  test('returns every message and every rejected request, newest first', async () => {
    const { items, nextCursor } = await list('');

    expect(items.map(inShort)).toEqual(EVERYTHING);
    expect(nextCursor).toBeNull();
    expect(items[0]).toEqual({
      requestId: refusedLate,
      receivedAt: at(5).getTime(),
      outcome: 'rejected',
      status: 403,
      code: 'ip_not_allowed',
      path: '/',
      errors: [{ pointer: '/messages/0/time', code: 'wrong_type' }],
      address: '192.0.2.1',
      unlisted: 3,
    });
    expect(items.at(-4)).toEqual({
      requestId: oldest,
      receivedAt: at(1).getTime(),
      index: 3,
      id: 'm4',
      type: 'action',
      outcome: 'held',
      reason: 'unregistered_user',
    });
  });

  test.each([1, 2, 3, 5, 11, 12])(
    'in pages of %d is complete and without duplicates',
    async (limit) => {
      expect((await all('', limit)).items.map(inShort)).toEqual(EVERYTHING);
    },
  );

  test.each(['limit=1', 'limit=50', 'limit=1&outcome=dropped', 'limit=50&outcome=held'])(
    '?%s, a full or last page, has no lookedBackTo',
    async (query) => {
      expect(await list(query)).not.toHaveProperty('lookedBackTo');
    },
  );

  test.each([
    ['outcome=rejected', [0, 2, 5]],
    ['outcome=dropped', [1, 6]],
    ['outcome=duplicate', [7]],
    ['outcome=held', [8]],
    ['outcome=pending', [3, 4]],
    ['outcome=processed', [9, 10, 11]],
    ['reason=empty_name', [6]],
    ['reason=unregistered_user', [8]],
    ['reason=stale_profile_field', [11]],
    ['reason=ip_not_allowed', [0]],
    ['reason=validation_failed', [2, 5]],
    ['reason=validation_failed&outcome=rejected', [2, 5]],
    ['reason=validation_failed&outcome=dropped', []],
    ['reason=empty_name&outcome=dropped', [6]],
    ['reason=empty_name&outcome=duplicate', []],
    ['reason=empty_name&outcome=rejected', []],
    ['reason=unregistered_user&outcome=held', [8]],
    ['reason=unregistered_user&outcome=dropped', []],
    [`requestId=${oldest}`, [6, 7, 8, 9, 10, 11]],
    [`requestId=${oldest}&outcome=dropped`, [6]],
    [`requestId=${oldest}&reason=duplicate_id`, [7]],
    [`requestId=${partial.toUpperCase()}`, [1, 2]],
    [`requestId=${refusedEarly}`, [5]],
    [`requestId=${systemIds.uuid()}`, []],
  ])('?%s', async (query, indexes) => {
    const expected = indexes.map((index) => EVERYTHING[index]);

    expect((await list(query)).items.map(inShort)).toEqual(expected);
    expect((await all(query, 1)).items.map(inShort)).toEqual(expected);
  });

  test('contains nothing of another tenant', async () => {
    const { items } = await list('', {
      'X-Application-Id': other.applicationId,
      'X-API-Key': other.serverKey,
    });

    expect(items).toHaveLength(2);
    expect((await list(`requestId=${items[0]?.requestId}`)).items).toEqual([]);
  });
});

test('held and dropped events of a deleted user have the same reason and different outcomes', async () => {
  await using own = await startTestApi();
  const { applicationId: ownId } = own.tenant;
  await insertRequest(own.db, ownId, {
    receipts: [
      { outcome: 'dropped', reason: 'unregistered_user' },
      { outcome: 'stored', userId: await insertUser(own.db, ownId) },
    ],
  });
  const outcomes = async (query: string) =>
    (
      await readAll(
        async (cursor) =>
          (
            await own.request<Page>('GET', `ingest?${query}&limit=1&cursor=${cursor}`, {
              headers: own.asServer,
            })
          ).body,
      )
    ).items.map(({ outcome }) => outcome);

  expect(await outcomes('reason=unregistered_user')).toEqual(['held', 'dropped']);
  expect(await outcomes('reason=unregistered_user&outcome=dropped')).toEqual(['dropped']);
  expect(await outcomes('reason=unregistered_user&outcome=held')).toEqual(['held']);
  expect(await outcomes('reason=unregistered_user&outcome=duplicate')).toEqual([]);
  expect(await outcomes('outcome=dropped')).toEqual(['dropped']);
});

test('a rare outcome in a long log is found by pages with a bounded scan each, with lookedBackTo', async () => {
  await using own = await startTestApi();
  const held = await insertUser(own.db, own.tenant.applicationId);
  const requestId = await insertRequest(own.db, own.tenant.applicationId, {
    receivedAt: at(0),
    receipts: [{ outcome: 'stored', userId: held }],
  });
  await own.db.sql.query(
    `with requests as (insert into ingest_requests (request_id, application_id, received_at, message_count)
       select uuidv7(), $1, $2::timestamptz + n * interval '1 millisecond', 1000 from generate_series(1, 13) as n returning *)
     insert into receipts (request_id, message_index, application_id, message_id, type, outcome, received_at)
     select r.request_id, i, $1, 'm' || i, 'action', 'stored', r.received_at from requests r, generate_series(0, 999) as i`,
    [own.tenant.applicationId, at(0)],
  );

  const lookedBackTo: (number | undefined)[] = [];
  const { items, pages } = await readAll(async (cursor) => {
    const { body } = await own.request<Page>('GET', `ingest?outcome=held&cursor=${cursor}`, {
      headers: own.asServer,
    });
    lookedBackTo.push(body.lookedBackTo);
    return body;
  });

  expect(items.map((item) => item.requestId)).toEqual([requestId]);
  expect(pages).toBe(3);
  // The oldest entry that a page scanned.
  expect(lookedBackTo).toEqual([at(0).getTime() + 8, at(0).getTime() + 3, undefined]);
}, 30_000);
