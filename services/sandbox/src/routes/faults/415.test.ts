import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('a form of another site cannot set a fault: only JSON is read', async () => {
  await using sandbox = await startTestSandbox();

  const response = await sandbox.request('POST', '/api/faults');

  expect(response.status).toBe(415);
});
