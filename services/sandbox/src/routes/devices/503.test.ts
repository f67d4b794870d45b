import { expect, test } from '@jest/globals';
import { startSdkStandIn } from '../../testing/sdk-stand-in.ts';
import { connectShop } from '../../testing/shop-connection.ts';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('while the service is not there, or refuses the device, the sandbox says so', async () => {
  await using service = await startSdkStandIn();
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox);
  const away = await sandbox.request('POST', '/api/devices', { customUserId: 'ada' });
  await connectShop(sandbox, { baseUrl: service.url });
  service.statuses.set('devices', 429);

  const refused = await sandbox.request('POST', '/api/devices', { customUserId: 'ada' });

  expect([away.status, refused.status]).toEqual([503, 503]);
  expect(await refused.json()).toMatchObject({ detail: expect.stringContaining('429') });
  expect(service.streams).toEqual([]);
});
