import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { registerUsers } from '@tidings/testing';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
await registerUsers(dashboard.db, dashboard.tenant.applicationId, ['ada']);

test.each([
  ['limit=0', '/limit'],
  ['limit=501', '/limit'],
  ['cursor=x', '/cursor'],
  [`cursor=1_${systemIds.uuid()}`, '/cursor'],
  [`cursor=1_${'-'.repeat(36)}_0`, '/cursor'],
  [`cursor=9223372036854775808_${systemIds.uuid()}_0`, '/cursor'],
  [`cursor=1_${systemIds.uuid()}_99999`, '/cursor'],
  ['cursor=a&cursor=b', '/cursor'],
])('GET users/{customUserId}/events?%s', async (query, pointer) => {
  const { status, problem } = await dashboard.request('GET', `users/ada/events?${query}`, {
    headers: dashboard.asServer,
  });

  expect(status).toBe(400);
  expect(problem).toMatchObject({ code: 'validation_failed', errors: [{ pointer }] });
});
