import { afterAll, expect, test } from '@jest/globals';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});

test.each([
  ['status=done', '/status'],
  ['cursor=x', '/cursor'],
  ['limit=501', '/limit'],
])('dead-letters?%s is a fault of %s', async (query, pointer) => {
  const { status, problem } = await dashboard.request('GET', `dead-letters?${query}`, {
    headers: dashboard.asAdmin,
  });

  expect(status).toBe(400);
  expect(problem).toMatchObject({ code: 'validation_failed', errors: [{ pointer }] });
});
