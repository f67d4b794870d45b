import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('the page can only be read', async () => {
  await using sandbox = await startTestSandbox();

  expect((await sandbox.request('POST', '/', {})).status).toBe(405);
});
