import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});

test.each([systemIds.uuid(), 'x', '%00'])('%s names no application', async (id) => {
  expect(
    (await dashboard.request('GET', `applications/${id}`, { headers: dashboard.asAdmin })).status,
  ).toBe(404);
  expect(
    (
      await dashboard.request('PATCH', `applications/${id}`, {
        headers: dashboard.asAdmin,
        body: { name: 'x' },
      })
    ).status,
  ).toBe(404);
});
