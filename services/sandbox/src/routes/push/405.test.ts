import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test.each([
  ['GET', '/push/subscriptions'],
  ['GET', '/push/tokens/phone-1'],
  ['POST', '/push/service-account'],
])('%s %s is nothing that devices do', async (method, path) => {
  await using sandbox = await startTestSandbox();

  expect((await sandbox.request(method, path)).status).toBe(405);
});
