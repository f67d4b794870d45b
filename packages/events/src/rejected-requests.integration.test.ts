import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { connectTestDatabase, createTestApplication } from '@tidings/testing';
import { listIngestLog } from './ingest-log/ingest-log.ts';
import { readUserFilter } from './ingest-log/user-filter.ts';
import { insertRejectedRequests } from './rejected-requests.ts';
import { rejection, storedRejections } from './testing/rejections.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

test('rejected requests are stored as reported', async () => {
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
    rejection(applicationId, { errors, unlisted: 17, customUserId: 'ada' }),
    rejection(applicationId, {
      path: '/v1/push',
      status: 403,
      code: 'ip_not_allowed',
      address: '2001:db8::1',
      serviceUserId,
    }),
  ];

  await insertRejectedRequests(db, [first, second]);

  expect(await storedRejections(db, applicationId)).toMatchObject([
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

test('characters in keys and ids that Postgres cannot store become U+FFFD', async () => {
  const { applicationId } = await createTestApplication(db);
  const errors = [
    {
      pointer: '/messages/0/attributes/a\0/\ud800',
      code: 'nul_not_allowed',
      index: 0,
      messageId: 'm\0\udc00',
    },
  ] as const;

  await insertRejectedRequests(db, [rejection(applicationId, { errors })]);

  expect(await storedRejections(db, applicationId)).toMatchObject([
    { errors: [{ pointer: '/messages/0/attributes/a\ufffd/\ufffd', messageId: 'm\ufffd\ufffd' }] },
  ]);
});

test('a text that only looks like an escape is unchanged', async () => {
  const { applicationId } = await createTestApplication(db);
  const pointer = String.raw`/messages/0/\u0000`;

  await insertRejectedRequests(db, [
    rejection(applicationId, { errors: [{ pointer, code: 'required' }] }),
  ]);

  expect(await storedRejections(db, applicationId)).toMatchObject([{ errors: [{ pointer }] }]);
});

test('a request reported twice has one entry, and an empty list runs no statement', async () => {
  const { applicationId } = await createTestApplication(db);
  const entry = rejection(applicationId);

  await insertRejectedRequests(db, [entry]);
  await insertRejectedRequests(db, [entry, rejection(applicationId)]);
  await insertRejectedRequests(db, []);

  expect(await storedRejections(db, applicationId)).toHaveLength(2);
});

test('the search for a user uses an index, however many other entries there are', async () => {
  const { applicationId } = await createTestApplication(db);
  await insertRejectedRequests(db, [rejection(applicationId, { customUserId: 'ada' })]);
  await db.sql.query(
    `insert into refused_requests (request_id, application_id, received_at, path, status, code, key_id, custom_user_id)
     select uuidv7(), $1, now(), '/', 400, 'validation_failed', $1, case when n % 2 = 0 then 'user ' || n end from generate_series(1, 20000) as n`,
    [applicationId],
  );
  await db.sql.query('analyze refused_requests');

  const { items, nextCursor } = await listIngestLog(db, {
    applicationId,
    limit: 1,
    userFilter: await readUserFilter(db.sql, applicationId, 'ada'),
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
