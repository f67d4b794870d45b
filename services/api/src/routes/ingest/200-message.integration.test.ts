import { afterAll, describe, expect, test } from '@jest/globals';
import type { LogEntry } from '@tidings/events/ingest-log/log-entry';
import { systemIds } from '@tidings/platform';
import { createDeadLetter } from '../../testing/dead-letter.ts';
import { startTestApi } from '../../testing/test-api.ts';
import {
  insertEvent,
  insertRejection,
  insertRequest,
  insertUser,
  readAll,
} from '../../testing/log-rows.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant } = api;
const { applicationId } = tenant;
const get = <T = Record<string, unknown>>(path: string) =>
  api.request<T>('GET', path, { headers: api.asServer });
const entriesOf = async (query: string) =>
  (await get<{ items: Record<string, unknown>[] }>(`ingest?${query}`)).body.items.map(
    ({ id, outcome }) => [id, outcome],
  );

type Page = { readonly items: readonly LogEntry[]; readonly nextCursor: string | null };

const ada = await insertUser(db, applicationId, { customUserId: 'ada', isRegistered: true });
const anonymous = await insertUser(db, applicationId, { mergedInto: ada });
const newcomer = await insertUser(db, applicationId, { customUserId: 'newcomer' });
const requestId = await insertRequest(db, applicationId, {
  receivedAt: new Date(Date.now() - 60_000),
  receipts: [
    { id: 'e1', outcome: 'stored', userId: ada },
    { id: 'u1', type: 'user', outcome: 'processed', userId: ada },
    { id: 'e2', outcome: 'stored', userId: anonymous },
    { id: 'h1', outcome: 'stored', userId: newcomer },
  ],
});
const { rows } = await db.sql.query<{ received_at: Date }>(
  'select received_at from ingest_requests where request_id = $1',
  [requestId],
);
await insertEvent(db, applicationId, {
  slug: 'click',
  userId: ada,
  requestId,
  id: 'e1',
  ...(rows[0] && { receivedAt: rows[0].received_at }),
});
await db.sql.query(
  `insert into duplicate_keys (id_key, request_id, message_index, received_at)
   select duplicate_key(application_id || ':server:' || message_id), request_id, message_index, received_at from receipts where request_id = $1`,
  [requestId],
);
await db.sql.query(
  `update users set fields = '{"firstName": "Ada"}', custom_attributes = '{"plan": "pro"}',
     clocks = '{"fields": {"firstName": [1760000000000, "u1"], "city": [1760000000000, "u1"], "email": [1770000000000, "u2"]}, "custom": {"plan": [1760000000000, "u1"]}}' where id = $1`,
  [ada],
);
const repeat = await insertRequest(db, applicationId, {
  receipts: [{ id: 'e1', outcome: 'duplicate', reason: 'duplicate_id', userId: ada }],
});
await insertRejection(db, applicationId);

describe('GET ingest/{requestId}/messages/{index}', () => {
  test('returns an event as stored, with every digit', async () => {
    const { text, body } = await get(`ingest/${requestId}/messages/0`);

    expect(body).toMatchObject({
      id: 'e1',
      outcome: 'processed',
      customUserId: 'ada',
      stored: { type: 'action', id: 'e1', time: 1_760_000_000_000, name: 'click' },
    });
    expect(text).toContain('"attributes":{"big":9007199254740993}');
  });

  test('returns the fields that still have the value of a user message, cleared ones as null', async () => {
    expect((await get(`ingest/${requestId}/messages/1`)).body['stored']).toEqual({
      type: 'user',
      id: 'u1',
      time: 1_760_000_000_000,
      firstName: 'Ada',
      city: null,
      customAttributes: { plan: 'pro' },
    });
  });

  test('finds the user of a message by another message of its request', async () => {
    const lin = await insertUser(db, applicationId, { customUserId: 'lin', isRegistered: true });
    await db.sql.query(
      `update users set fields = '{"firstName": "Lin"}', clocks = '{"fields": {"firstName": [1760000000000, "u5"]}, "custom": {}}' where id = $1`,
      [lin],
    );
    const both = await insertRequest(db, applicationId, {
      receipts: [
        { id: 'u5', type: 'user', outcome: 'processed' },
        { id: 'e5', outcome: 'stored', userId: lin },
      ],
    });
    const alone = await insertRequest(db, applicationId, {
      receipts: [{ id: 'u6', type: 'user', outcome: 'processed' }],
    });

    expect((await get(`ingest/${both}/messages/0`)).body).toMatchObject({
      customUserId: 'lin',
      stored: { type: 'user', id: 'u5', time: 1_760_000_000_000, firstName: 'Lin' },
    });
    expect((await get(`ingest/${alone}/messages/0`)).body).toMatchObject({
      outcome: 'processed',
      stored: null,
    });
  });

  test('returns an event without a receipt, and finds the user of its request by it', async () => {
    const mia = await insertUser(db, applicationId, { customUserId: 'mia', isRegistered: true });
    const both = await insertRequest(db, applicationId, {
      receipts: [
        { id: 'u9', type: 'user', outcome: 'processed' },
        { id: 'e9', outcome: 'derived', userId: mia },
      ],
    });

    expect((await get(`ingest/${both}/messages/0`)).body).toMatchObject({
      outcome: 'processed',
      customUserId: 'mia',
    });
    expect((await get(`ingest/${both}/messages/1`)).body).toEqual({
      requestId: both,
      receivedAt: expect.any(Number),
      index: 1,
      id: 'e9',
      type: 'action',
      outcome: 'processed',
      customUserId: 'mia',
      stored: { type: 'action', id: 'e9', time: 1, name: 'view' },
    });
  });

  test('finds the user of a single user message with customUserId, and returns its current fields', async () => {
    const ida = await insertUser(db, applicationId, { customUserId: 'ida', isRegistered: true });
    await db.sql.query(
      `update users set fields = '{"firstName": "Ida"}', clocks = '{"fields": {"firstName": [1760000000000, "u7"]}, "custom": {}}' where id = $1`,
      [ida],
    );
    const alone = await insertRequest(db, applicationId, {
      receipts: [{ id: 'u7', type: 'user', outcome: 'processed' }],
    });
    await db.sql.query(
      `insert into duplicate_keys (id_key, request_id, message_index, received_at) values (duplicate_key($1::uuid || ':server:u7'), $2, 0, now())`,
      [applicationId, alone],
    );
    const askedFor = async (customUserId: string, id = alone) =>
      (await get(`ingest/${id}/messages/0?customUserId=${customUserId}`)).body;

    for (const id of [alone, alone.toUpperCase()])
      expect(await askedFor('ida', id)).toMatchObject({
        customUserId: 'ida',
        stored: { type: 'user', id: 'u7', time: 1_760_000_000_000, firstName: 'Ida' },
      });
    for (const other of ['ada', 'unregistered', '']) {
      const answer = await askedFor(other);
      expect(answer).not.toHaveProperty('customUserId');
      expect(answer).not.toMatchObject({ stored: expect.anything() });
    }
    expect((await askedFor('ida', requestId))['customUserId']).toBe('ada');
  });

  test('of a duplicate returns the message that used its id first', async () => {
    expect((await get(`ingest/${repeat}/messages/0`)).body).toMatchObject({
      outcome: 'duplicate',
      reason: 'duplicate_id',
      stored: null,
      duplicateOf: { requestId, index: 0 },
    });
  });

  test('404 for an index without a message', async () => {
    expect((await get(`ingest/${requestId}/messages/4`)).status).toBe(404);
    expect((await get(`ingest/${requestId}/messages/-1`)).status).toBe(404);
  });
});

describe('GET ingest', () => {
  test('finds a message by id, with copies that were not stored', async () => {
    expect(await entriesOf('messageId=e1')).toEqual([
      ['e1', 'duplicate'],
      ['e1', 'processed'],
    ]);
    expect(await entriesOf('messageId=e1&outcome=duplicate')).toEqual([['e1', 'duplicate']]);
    expect(await entriesOf('messageId=nothing')).toEqual([]);
  });

  test('finds the messages of a user, including anonymous ones, and of an unregistered user', async () => {
    expect(await entriesOf('customUserId=ada')).toEqual([
      ['e1', 'duplicate'],
      ['e2', 'processed'],
      ['u1', 'processed'],
      ['e1', 'processed'],
    ]);
    expect(await entriesOf('customUserId=newcomer')).toEqual([['h1', 'held']]);
    expect(await entriesOf('customUserId=unregistered')).toEqual([]);
    expect(await entriesOf('customUserId=ada&outcome=rejected')).toEqual([]);
  });

  test('finds rejected requests of a user by each id, in order with the messages', async () => {
    await using own = await startTestApi();
    const { applicationId: ownId } = own.tenant;
    const start = Date.now() - 60_000;
    const at = (seconds: number): Date => new Date(start + seconds * 1_000);
    const eve = await insertUser(own.db, ownId, { customUserId: 'eve', isRegistered: true });
    const past = await insertUser(own.db, ownId, { mergedInto: eve });
    const serviceUserId = systemIds.uuid();
    await own.db.sql.query(
      'insert into user_identities (application_id, service_user_id, user_id) values ($1, $2, $3)',
      [ownId, serviceUserId, past],
    );
    await insertRejection(own.db, ownId, { receivedAt: at(1), customUserId: 'eve', status: 400 });
    const partial = await insertRequest(own.db, ownId, {
      receivedAt: at(2),
      receipts: [{ id: 'kept', outcome: 'stored', userId: eve }],
    });
    await insertRejection(own.db, ownId, {
      receivedAt: at(2),
      customUserId: 'eve',
      status: 200,
      requestId: partial,
    });
    await insertRejection(own.db, ownId, {
      receivedAt: at(3),
      serviceUserId,
      status: 403,
      code: 'client_key_forbidden',
    });
    for (const other of [
      { customUserId: 'eva' },
      { customUserId: 'Eve' },
      { serviceUserId: systemIds.uuid() },
      {},
    ])
      await insertRejection(own.db, ownId, { receivedAt: at(4), ...other });
    await insertRejection(own.db, own.other.applicationId, { customUserId: 'eve' });
    const found = async (query: string, limit = 50) => {
      const { items } = await readAll(
        async (cursor) =>
          (
            await own.request<Page>('GET', `ingest?${query}&limit=${limit}&cursor=${cursor}`, {
              headers: own.asServer,
            })
          ).body,
      );
      return items.map((entry) => ('status' in entry ? entry.status : entry.id));
    };

    for (const limit of [1, 2, 50])
      expect(await found('customUserId=eve', limit)).toEqual([403, 'kept', 200, 400]);
    expect(await found('customUserId=eve&outcome=rejected')).toEqual([403, 200, 400]);
    expect(await found('customUserId=eve&outcome=processed')).toEqual(['kept']);
    expect(await found('customUserId=eve&reason=validation_failed')).toEqual([200, 400]);
    expect(await found('customUserId=eve&reason=validation_failed&outcome=dropped')).toEqual([]);
    expect(await found('customUserId=eve&reason=empty_name')).toEqual([]);
    expect(await found(`customUserId=eve&requestId=${partial}`)).toEqual(['kept', 200]);
    expect(await found('customUserId=eva')).toEqual([400]);
    expect(
      (await own.request<Page>('GET', 'ingest?customUserId=eva', { headers: own.asServer })).body
        .items,
    ).toMatchObject([{ outcome: 'rejected', customUserId: 'eva' }]);
  });

  test('finds the messages of a user that became dead letters before their user was known', async () => {
    const letter = await insertRequest(db, applicationId, {
      receipts: [{ id: 'd1', outcome: 'dropped', reason: 'dead_letter' }],
    });
    await createDeadLetter(db, {
      applicationId,
      requestId: letter,
      key: Buffer.from(`${applicationId}:grace`),
    });
    await createDeadLetter(db, {
      applicationId: tenant.applicationId,
      requestId: null,
      key: Buffer.from(`${applicationId}:unregistered`),
    });

    expect(await entriesOf('customUserId=grace')).toEqual([['d1', 'dropped']]);
    expect(await entriesOf('customUserId=grace&messageId=d1')).toEqual([['d1', 'dropped']]);
    expect(await entriesOf('customUserId=ada&messageId=d1')).toEqual([]);
    expect(await entriesOf('customUserId=unregistered')).toEqual([]);
  });
});
