import { expect, test } from '@jest/globals';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

test('a Server key has no overview', async () => {
  await using dashboard = await startTestDashboard();

  expect((await dashboard.request('GET', 'overview', { headers: dashboard.asServer })).status).toBe(
    403,
  );
});
