import { expect, test } from '@jest/globals';
import { act } from '../../testing/act.ts';
import { connectShop } from '../../testing/shop-connection.ts';
import { campaignMail, startTestSandbox } from '../../testing/test-sandbox.ts';

test('a message that was not received, or to somebody else, is not found', async () => {
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox);
  await sandbox.send(campaignMail('ada@example.com', 'c1', 'd1'));

  for (const other of [{ deliveryId: 'd2' }, { campaignId: 'c2' }, { to: 'grace@example.com' }])
    expect(await act(sandbox, { act: 'opened', ...other })).toMatchObject({ status: 404 });
});
