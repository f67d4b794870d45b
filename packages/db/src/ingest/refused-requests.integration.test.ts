import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { connectTestDatabase, createTestApplication } from '@tidings/testing';
import { insertRefusals, type RefusedRequest } from './refused-requests.ts';

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
  ...fields,
});

async function stored(applicationId: string): Promise<unknown[]> {
  const { rows } = await db.sql.query<Record<string, unknown>>(
    `select request_id, key_id, extract(epoch from received_at) * 1000 as received_ms, path, status, code, address, errors, unlisted
     from refused_requests where application_id = $1 order by path`,
    [applicationId],
  );
  return rows;
}

test('refused requests are stored as they were noted, in one statement', async () => {
  const { applicationId } = await createTestApplication(db);
  const errors = [{ pointer: '/messages/0/time', code: 'wrong_type', expected: 'integer', index: 0, messageId: 'm1' }] as const;
  const [first, second] = [
    refusal(applicationId, { errors, unlisted: 17 }),
    refusal(applicationId, { path: '/v1/push', status: 403, code: 'ip_not_allowed', address: '2001:db8::1' }),
  ];

  await insertRefusals(db.sql, [first, second]);

  expect(await stored(applicationId)).toMatchObject([
    { request_id: first.requestId, key_id: first.keyId, received_ms: '1700000000123.000000', path: '/', status: 400, code: 'validation_failed', address: null, errors, unlisted: 17 },
    { request_id: second.requestId, path: '/v1/push', status: 403, code: 'ip_not_allowed', address: '2001:db8::1', errors: [] },
  ]);
});

test('what a caller may write into keys and ids is stored with U+FFFD for what Postgres cannot hold', async () => {
  const { applicationId } = await createTestApplication(db);
  const errors = [{ pointer: '/messages/0/attributes/a\0/\ud800', code: 'nul_not_allowed', index: 0, messageId: 'm\0\udc00' }] as const;

  await insertRefusals(db.sql, [refusal(applicationId, { errors })]);

  expect(await stored(applicationId)).toMatchObject([{ errors: [{ pointer: '/messages/0/attributes/a\ufffd/\ufffd', messageId: 'm\ufffd\ufffd' }] }]);
});

test('a text that only looks like an escape stays what it is', async () => {
  const { applicationId } = await createTestApplication(db);
  const pointer = String.raw`/messages/0/\u0000`;

  await insertRefusals(db.sql, [refusal(applicationId, { errors: [{ pointer, code: 'required' }] })]);

  expect(await stored(applicationId)).toMatchObject([{ errors: [{ pointer }] }]);
});

test('a request that is noted twice has one entry, and none is no statement', async () => {
  const { applicationId } = await createTestApplication(db);
  const entry = refusal(applicationId);

  await insertRefusals(db.sql, [entry]);
  await insertRefusals(db.sql, [entry, refusal(applicationId)]);
  await insertRefusals(db.sql, []);

  expect(await stored(applicationId)).toHaveLength(2);
});
