import { expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { act } from '../../testing/act.ts';
import { eventOf, startSdkStandIn } from '../../testing/sdk-stand-in.ts';
import { connectShop } from '../../testing/shop-connection.ts';
import { campaignMail, startTestSandbox } from '../../testing/test-sandbox.ts';

test('before the shop has an application there is nobody to tell', async () => {
  await using sandbox = await startTestSandbox();
  await sandbox.send(campaignMail('ada@example.com', 'c1', 'd1'));

  expect(await act(sandbox, { act: 'opened' })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('PUT /api/shop') },
  });
});

test('a device that the service does not know says so', async () => {
  await using service = await startSdkStandIn();
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox, { baseUrl: service.url });
  await sandbox.request('POST', '/api/devices', { customUserId: 'ada' });
  await eventually(() => expect(service.streams).toHaveLength(1));
  service.streams[0]?.res.write(eventOf('s.1'));
  await eventually(() => expect(service.receipts).toHaveLength(1));
  service.statuses.set('receipts', 404);

  expect(await act(sandbox, { act: 'clicked' })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('POST /api/devices') },
  });
});
