import { expect, test } from '@jest/globals';
import { connectShop } from '../../testing/shop-connection.ts';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('while the service is not there the shop says so', async () => {
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox);

  expect(
    (
      await sandbox.request('POST', '/shop/send', {
        channel: 'ON_SITE',
        customUserId: 'ada',
        body: 'x',
      })
    ).status,
  ).toBe(503);
});
