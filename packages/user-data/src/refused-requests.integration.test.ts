import { afterAll, expect, test } from '@jest/globals';
import { listIngestLog } from '@tidings/events/log/ingest-log';
import { readWhose } from '@tidings/events/log/whose';
import { insertRefusals, type RefusedRequest } from '@tidings/events/refused-requests';
import { systemIds } from '@tidings/platform';
import {
  connectTestDatabase,
  createFakeClock,
  createTestApplication,
  registerUsers,
  untilBlockedBy,
} from '@tidings/testing';
import { deleteUser } from './delete-user.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const refusal = (applicationId: string, fields: Partial<RefusedRequest> = {}): RefusedRequest => ({
  requestId: systemIds.uuid(),
  applicationId,
  keyId: systemIds.uuid(),
  receivedAt: 1_700_000_000_123,
  path: '/',
  status: 400,
  code: 'validation_failed',
  address: null,
  errors: [],
  unlisted: 0,
  customUserId: null,
  serviceUserId: null,
  ...fields,
});

async function stored(applicationId: string): Promise<unknown[]> {
  const { rows } = await db.sql.query<Record<string, unknown>>(
    `select request_id, key_id, extract(epoch from received_at) * 1000 as received_ms, path, status, code, address, errors, unlisted, custom_user_id, service_user_id
     from refused_requests where application_id = $1 order by path`,
    [applicationId],
  );
  return rows;
}

test('refused requests are stored as they were noted', async () => {
  const { applicationId } = await createTestApplication(db);
  const errors = [
    {
      pointer: '/messages/0/time',
      code: 'wrong_type',
      expected: 'integer',
      index: 0,
      messageId: 'm1',
    },
  ] as const;
  const serviceUserId = systemIds.uuid();
  const [first, second] = [
    refusal(applicationId, { errors, unlisted: 17, customUserId: 'ada' }),
    refusal(applicationId, {
      path: '/v1/push',
      status: 403,
      code: 'ip_not_allowed',
      address: '2001:db8::1',
      serviceUserId,
    }),
  ];

  await insertRefusals(db, [first, second]);

  expect(await stored(applicationId)).toMatchObject([
    {
      request_id: first.requestId,
      key_id: first.keyId,
      received_ms: '1700000000123.000000',
      path: '/',
      status: 400,
      code: 'validation_failed',
      address: null,
      errors,
      unlisted: 17,
      custom_user_id: 'ada',
      service_user_id: null,
    },
    {
      request_id: second.requestId,
      path: '/v1/push',
      status: 403,
      code: 'ip_not_allowed',
      address: '2001:db8::1',
      errors: [],
      custom_user_id: null,
      service_user_id: serviceUserId,
    },
  ]);
});

test('what a caller may write into keys and ids is stored with U+FFFD for what Postgres cannot hold', async () => {
  const { applicationId } = await createTestApplication(db);
  const errors = [
    {
      pointer: '/messages/0/attributes/a\0/\ud800',
      code: 'nul_not_allowed',
      index: 0,
      messageId: 'm\0\udc00',
    },
  ] as const;

  await insertRefusals(db, [refusal(applicationId, { errors })]);

  expect(await stored(applicationId)).toMatchObject([
    { errors: [{ pointer: '/messages/0/attributes/a\ufffd/\ufffd', messageId: 'm\ufffd\ufffd' }] },
  ]);
});

test('a text that only looks like an escape stays what it is', async () => {
  const { applicationId } = await createTestApplication(db);
  const pointer = String.raw`/messages/0/\u0000`;

  await insertRefusals(db, [refusal(applicationId, { errors: [{ pointer, code: 'required' }] })]);

  expect(await stored(applicationId)).toMatchObject([{ errors: [{ pointer }] }]);
});

test('a request that is noted twice has one entry, and none is no statement', async () => {
  const { applicationId } = await createTestApplication(db);
  const entry = refusal(applicationId);

  await insertRefusals(db, [entry]);
  await insertRefusals(db, [entry, refusal(applicationId)]);
  await insertRefusals(db, []);

  expect(await stored(applicationId)).toHaveLength(2);
});

test('the search for a user reads entries by their index, however many others there are', async () => {
  const { applicationId } = await createTestApplication(db);
  await insertRefusals(db, [refusal(applicationId, { customUserId: 'ada' })]);
  await db.sql.query(
    `insert into refused_requests (request_id, application_id, received_at, path, status, code, key_id, custom_user_id)
     select uuidv7(), $1, now(), '/', 400, 'validation_failed', $1, case when n % 2 = 0 then 'user ' || n end from generate_series(1, 20000) as n`,
    [applicationId],
  );
  await db.sql.query('analyze refused_requests');

  const { items, nextCursor } = await listIngestLog(db, {
    applicationId,
    limit: 1,
    whose: await readWhose(db.sql, applicationId, 'ada'),
  });
  const { rows } = await db.sql.query<{ 'QUERY PLAN': string }>(
    `explain (analyze, costs off, timing off, summary off) select * from refused_requests
     where application_id = '${applicationId}' and custom_user_id = 'ada' order by received_at desc, request_id desc limit 2`,
  );

  expect([items.length, nextCursor]).toEqual([1, null]);
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(
    /refused_requests_by_user.*rows=1[. ]/,
  );
});

test('of somebody who was deleted since an entry names nobody; of one who came after that it does', async () => {
  const { applicationId } = await createTestApplication(db);
  const serviceUserId = systemIds.uuid();
  await createUserWith(applicationId, serviceUserId);
  const clock = createFakeClock();
  const [before, after] = [clock.now(), clock.now() + 1];

  await deleteUser(db, { applicationId, customUserId: 'ada', clock });
  await insertRefusals(db, [
    refusal(applicationId, { path: '/1', receivedAt: before, customUserId: 'ada' }),
    refusal(applicationId, { path: '/2', receivedAt: before, serviceUserId }),
    refusal(applicationId, { path: '/3', receivedAt: before, customUserId: 'eve' }),
    refusal(applicationId, { path: '/4', receivedAt: after, customUserId: 'ada' }),
  ]);

  expect(await stored(applicationId)).toMatchObject([
    { custom_user_id: null, service_user_id: null },
    { custom_user_id: null, service_user_id: null },
    { custom_user_id: 'eve' },
    { custom_user_id: 'ada' },
  ]);
});

test('an entry that comes while its user is being deleted waits for that, and names nobody', async () => {
  const { applicationId } = await createTestApplication(db);
  await createUserWith(applicationId, systemIds.uuid());
  const clock = createFakeClock();
  const entry = refusal(applicationId, { receivedAt: clock.now(), customUserId: 'ada' });

  // The deletion's own statements, held open before its commit.
  const { inserting } = await db.transaction(async (sql) => {
    await deleteUser(
      { ...db, transaction: (work) => work(sql) },
      { applicationId, customUserId: 'ada', clock },
    );
    const waiting = insertRefusals(db, [entry]);
    await untilBlockedBy(db, sql);
    return { inserting: waiting };
  });
  await inserting;

  expect(await stored(applicationId)).toMatchObject([{ custom_user_id: null }]);
});

test('a deletion waits for an entry that is being written, and takes the user out of it', async () => {
  const { applicationId } = await createTestApplication(db);
  await createUserWith(applicationId, systemIds.uuid());
  const clock = createFakeClock();
  const entry = refusal(applicationId, { receivedAt: clock.now(), customUserId: 'ada' });

  const { deleting } = await db.transaction(async (sql) => {
    await insertRefusals({ transaction: (work) => work(sql) }, [entry]);
    const waiting = deleteUser(db, { applicationId, customUserId: 'ada', clock });
    await untilBlockedBy(db, sql);
    return { deleting: waiting };
  });
  await deleting;

  expect(await stored(applicationId)).toMatchObject([{ custom_user_id: null }]);
});

async function createUserWith(applicationId: string, serviceUserId: string): Promise<void> {
  await registerUsers(db, applicationId, { ada: {} });
  await db.sql.query(
    'insert into user_identities (application_id, service_user_id, user_id) select $1, $2, id from users where application_id = $1',
    [applicationId, serviceUserId],
  );
}
