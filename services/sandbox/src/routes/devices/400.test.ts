import { expect, test } from '@jest/globals';
import { connectShop } from '../../testing/shop-connection.ts';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test.each([
  [{}, '/customUserId'],
  [{ customUserId: '' }, '/customUserId'],
  [{ customUserId: 5 }, '/customUserId'],
  [{ customUserId: 'ada', kind: 'fax' }, '/kind'],
])('a device of %j is refused', async (body, pointer) => {
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox);

  const answer = await sandbox.request('POST', '/api/devices', body);

  expect([answer.status, await answer.json()]).toEqual([
    400,
    expect.objectContaining({ errors: [expect.objectContaining({ pointer })] }),
  ]);
});
