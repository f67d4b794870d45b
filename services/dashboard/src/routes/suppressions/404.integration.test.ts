import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});

test.each([systemIds.uuid(), 'x', '%00'])('%s names no suppression', async (id) => {
  expect(
    (await dashboard.request('DELETE', `suppressions/${id}`, { headers: dashboard.asAdmin }))
      .status,
  ).toBe(404);
});
