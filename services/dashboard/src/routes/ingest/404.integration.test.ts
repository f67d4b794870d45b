import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const theirs = systemIds.uuid();
await dashboard.db.sql.query('insert into ingest_requests (request_id, application_id, received_at, message_count) values ($1, $2, now(), 1)', [
  theirs,
  dashboard.other.applicationId,
]);

test.each([
  ['a request nobody made', systemIds.uuid()],
  ['what is no id', 'x'],
  ['S11 a request of another tenant', theirs],
])('%s', async (_name, requestId) => {
  const { status, problem } = await dashboard.request('GET', `ingest/${requestId}`, { headers: dashboard.asServer });

  expect([status, problem.code]).toEqual([404, 'not_found']);
});
