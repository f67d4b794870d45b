import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('before the shop has an application there are no devices of its customers', async () => {
  await using sandbox = await startTestSandbox();

  const answer = await sandbox.request('POST', '/api/devices', { customUserId: 'ada' });

  expect([answer.status, await answer.json()]).toEqual([409, expect.objectContaining({ detail: expect.stringContaining('PUT /api/shop') })]);
});
