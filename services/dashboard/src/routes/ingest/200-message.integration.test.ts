import { afterAll, describe, expect, test } from '@jest/globals';
import { leaveDeadLetter } from '../../testing/dead-letter.ts';
import { startTestDashboard } from '../../testing/test-dashboard.ts';
import { insertEvent, insertRefusal, insertRequest, insertUser } from '../../testing/log-rows.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const { db, tenant } = dashboard;
const { applicationId } = tenant;
const get = <T = Record<string, unknown>>(path: string) => dashboard.request<T>('GET', path, { headers: dashboard.asServer });
const entriesOf = async (query: string) => (await get<{ items: Record<string, unknown>[] }>(`ingest?${query}`)).body.items.map(({ id, outcome }) => [id, outcome]);

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
const { rows } = await db.sql.query<{ received_at: Date }>('select received_at from ingest_requests where request_id = $1', [requestId]);
await insertEvent(db, applicationId, { slug: 'click', userId: ada, requestId, id: 'e1', ...(rows[0] && { receivedAt: rows[0].received_at }) });
await db.sql.query(`insert into message_keys (application_id, message_id, request_id, message_index, received_at) select application_id, message_id, request_id, message_index, received_at from receipts where request_id = $1`, [requestId]);
await db.sql.query(
  `update users set fields = '{"firstName": "Ada"}', custom_attributes = '{"plan": "pro"}',
     clocks = '{"fields": {"firstName": [1760000000000, "u1"], "city": [1760000000000, "u1"], "email": [1770000000000, "u2"]}, "custom": {"plan": [1760000000000, "u1"]}}' where id = $1`,
  [ada],
);
const repeat = await insertRequest(db, applicationId, { receipts: [{ id: 'e1', outcome: 'duplicate', reason: 'duplicate_id', userId: ada }] });
await insertRefusal(db, applicationId);

describe('GET ingest/{requestId}/messages/{index}', () => {
  test('has an event as it is stored, with every digit', async () => {
    const { text, body } = await get(`ingest/${requestId}/messages/0`);

    expect(body).toMatchObject({ id: 'e1', outcome: 'processed', customUserId: 'ada', stored: { type: 'action', id: 'e1', time: 1_760_000_000_000, name: 'click' } });
    expect(text).toContain('"attributes":{"big":9007199254740993}');
  });

  test('has the fields of a user message that stand as it set them, cleared ones as null', async () => {
    expect((await get(`ingest/${requestId}/messages/1`)).body['stored']).toEqual({ type: 'user', id: 'u1', time: 1_760_000_000_000, firstName: 'Ada', city: null, customAttributes: { plan: 'pro' } });
  });

  test('knows the user of a message by another of its request', async () => {
    const lin = await insertUser(db, applicationId, { customUserId: 'lin', isRegistered: true });
    await db.sql.query(`update users set fields = '{"firstName": "Lin"}', clocks = '{"fields": {"firstName": [1760000000000, "u5"]}, "custom": {}}' where id = $1`, [lin]);
    const both = await insertRequest(db, applicationId, { receipts: [{ id: 'u5', type: 'user', outcome: 'processed' }, { id: 'e5', outcome: 'stored', userId: lin }] });
    const alone = await insertRequest(db, applicationId, { receipts: [{ id: 'u6', type: 'user', outcome: 'processed' }] });

    expect((await get(`ingest/${both}/messages/0`)).body).toMatchObject({ customUserId: 'lin', stored: { type: 'user', id: 'u5', time: 1_760_000_000_000, firstName: 'Lin' } });
    expect((await get(`ingest/${alone}/messages/0`)).body).toMatchObject({ outcome: 'processed', stored: null });
  });

  test('of a duplicate says which message had its id first', async () => {
    expect((await get(`ingest/${repeat}/messages/0`)).body).toMatchObject({ outcome: 'duplicate', reason: 'duplicate_id', stored: null, duplicateOf: { requestId, index: 0 } });
  });

  test('404 for a place where there is none', async () => {
    expect((await get(`ingest/${requestId}/messages/4`)).status).toBe(404);
    expect((await get(`ingest/${requestId}/messages/-1`)).status).toBe(404);
  });
});

describe('GET ingest', () => {
  test('finds a message by its id, with the copies that were not stored', async () => {
    expect(await entriesOf('messageId=e1')).toEqual([['e1', 'duplicate'], ['e1', 'processed']]);
    expect(await entriesOf('messageId=e1&outcome=duplicate')).toEqual([['e1', 'duplicate']]);
    expect(await entriesOf('messageId=nothing')).toEqual([]);
  });

  test('finds the messages of a user, of the anonymous past too, and of one who is not registered', async () => {
    expect(await entriesOf('customUserId=ada')).toEqual([['e1', 'duplicate'], ['e2', 'processed'], ['u1', 'processed'], ['e1', 'processed']]);
    expect(await entriesOf('customUserId=newcomer')).toEqual([['h1', 'held']]);
    expect(await entriesOf('customUserId=nobody')).toEqual([]);
    expect(await entriesOf('customUserId=ada&outcome=refused')).toEqual([]);
  });

  test('finds the messages of a user that were set aside before anybody read whose they are', async () => {
    const letter = await insertRequest(db, applicationId, { receipts: [{ id: 'd1', outcome: 'dropped', reason: 'dead_letter' }] });
    await leaveDeadLetter(db, { applicationId, requestId: letter, key: Buffer.from(`${applicationId}:grace`) });
    await leaveDeadLetter(db, { applicationId: tenant.applicationId, requestId: null, key: Buffer.from(`${applicationId}:nobody`) });

    expect(await entriesOf('customUserId=grace')).toEqual([['d1', 'dropped']]);
    expect(await entriesOf('customUserId=grace&messageId=d1')).toEqual([['d1', 'dropped']]);
    expect(await entriesOf('customUserId=ada&messageId=d1')).toEqual([]);
    expect(await entriesOf('customUserId=nobody')).toEqual([]);
  });
});
