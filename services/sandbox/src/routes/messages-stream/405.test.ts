import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('the stream can only be read', async () => {
  await using sandbox = await startTestSandbox();

  expect((await sandbox.request('POST', '/api/messages/stream', {})).status).toBe(405);
});
