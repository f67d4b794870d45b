import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test('GET ingest/{requestId} returns the outcome of each message', async () => {
  const { db, tenant } = api;
  const requestId = systemIds.uuid();
  const receivedAt = new Date();
  await db.sql.query(
    'insert into ingest_requests (request_id, application_id, received_at, message_count) values ($1, $2, $3, 5)',
    [requestId, tenant.applicationId, receivedAt],
  );
  await db.sql.query(
    `insert into receipts (request_id, message_index, application_id, message_id, type, outcome, reason, received_at)
     values ($1, 0, $2, 'a', 'user', 'processed', null, $3), ($1, 1, $2, 'b', 'action', 'dropped', 'empty_name', $3), ($1, 2, $2, 'c', 'action', 'pending', null, $3), ($1, 3, $2, 'd', 'action', 'pending', null, $3)`,
    [requestId, tenant.applicationId, receivedAt],
  );
  // Their receipts are derived: the pending one of the first was settled later.
  await db.sql.query(
    `insert into events (request_id, message_index, application_id, message_id, type, slug, time, received_at)
     values ($1, 3, $2, 'd', 'action', 'view', 1, $3), ($1, 4, $2, 'e', 'revenue', 'order', 1, $3)`,
    [requestId, tenant.applicationId, receivedAt],
  );

  const { status, body } = await api.request('GET', `ingest/${requestId}`, {
    headers: api.asServer,
  });

  expect(status).toBe(200);
  expect(body).toEqual({
    requestId,
    receivedAt: expect.any(Number),
    complete: false,
    messages: [
      { index: 0, id: 'a', type: 'user', outcome: 'processed' },
      { index: 1, id: 'b', type: 'action', outcome: 'dropped', reason: 'empty_name' },
      { index: 2, id: 'c', type: 'action', outcome: 'pending' },
      { index: 3, id: 'd', type: 'action', outcome: 'processed' },
      { index: 4, id: 'e', type: 'revenue', outcome: 'processed' },
    ],
  });
});
