import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('a subscription that was never given out cannot be unregistered', async () => {
  await using sandbox = await startTestSandbox();

  expect((await sandbox.request('DELETE', '/push/subscriptions/nobody')).status).toBe(404);
});
