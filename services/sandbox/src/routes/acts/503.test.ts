import { expect, test } from '@jest/globals';
import { act } from '../../testing/act.ts';
import { CONNECTION, connectShop } from '../../testing/shop-connection.ts';
import { campaignMail, startTestSandbox } from '../../testing/test-sandbox.ts';

test('while the service is not there nothing is told', async () => {
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox);
  await sandbox.send({
    ...campaignMail('ada@example.com', 'c1', 'd1'),
    html: `<img src="${CONNECTION.baseUrl}/t/o/x">`,
  });

  expect(await act(sandbox, { act: 'opened' })).toMatchObject({ status: 503 });
});
