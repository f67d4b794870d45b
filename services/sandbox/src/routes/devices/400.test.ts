import { expect, test } from '@jest/globals';
import { connectShop } from '../../testing/shop-connection.ts';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test.each([[{}], [{ customUserId: '' }], [{ customUserId: 5 }]])('a device of %j is refused', async (body) => {
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox);

  const answer = await sandbox.request('POST', '/api/devices', body);

  expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ errors: [expect.objectContaining({ pointer: '/customUserId' })] })]);
});
