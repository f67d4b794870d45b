import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('counts can only be read', async () => {
  await using sandbox = await startTestSandbox();

  expect((await sandbox.request('DELETE', '/api/messages/counts')).status).toBe(405);
});
