import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { insertRejection } from '../../testing/log-rows.ts';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const theirs = systemIds.uuid();
await api.db.sql.query(
  'insert into ingest_requests (request_id, application_id, received_at, message_count) values ($1, $2, now(), 1)',
  [theirs, api.other.applicationId],
);

test.each([
  ['an unknown request', systemIds.uuid()],
  ['what is no id', 'x'],
  ['a request of another tenant', theirs],
])('%s', async (_name, requestId) => {
  const { status, problem } = await api.request('GET', `ingest/${requestId}`, {
    headers: api.asServer,
  });

  expect([status, problem.code]).toEqual([404, 'not_found']);
});

test('a rejected request, with a hint where it is listed', async () => {
  const requestId = await insertRejection(api.db, api.tenant.applicationId);
  const theirs = await insertRejection(api.db, api.other.applicationId);
  const detailOf = async (id: string) =>
    (await api.request('GET', `ingest/${id}`, { headers: api.asServer })).problem.detail;

  expect(await detailOf(requestId)).toBe(
    'This request was rejected. GET /api/v1/ingest?requestId=… gives the reason.',
  );
  for (const id of [theirs, systemIds.uuid()]) {
    expect(await detailOf(id)).toBe(
      'No request with this id was processed yet. If it was rejected, GET /api/v1/ingest?requestId=… gives the reason.',
    );
  }
  for (const filters of ['', '&outcome=rejected', '&reason=validation_failed']) {
    const { body } = await api.request(
      'GET',
      `ingest?requestId=${requestId.toUpperCase()}${filters}`,
      { headers: api.asServer },
    );
    expect(body).toMatchObject({
      items: [
        {
          requestId,
          outcome: 'rejected',
          code: 'validation_failed',
          errors: [{ pointer: '/messages/0/time' }],
        },
      ],
      nextCursor: null,
    });
  }
});
