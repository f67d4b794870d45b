import { expect, test } from '@jest/globals';
import { startSdkStandIn } from '../../testing/sdk-stand-in.ts';
import { connectShop } from '../../testing/shop-connection.ts';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('before the shop has an application there are no devices of its customers', async () => {
  await using sandbox = await startTestSandbox();

  const answer = await sandbox.request('POST', '/api/devices', { customUserId: 'ada' });

  expect([answer.status, await answer.json()]).toEqual([
    409,
    expect.objectContaining({ detail: expect.stringContaining('PUT /api/shop') }),
  ]);
});

test('no browser subscribes where the application has no WEB_PUSH', async () => {
  await using service = await startSdkStandIn();
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox, { baseUrl: service.url });

  const answer = await sandbox.request('POST', '/api/devices', {
    customUserId: 'ada',
    kind: 'web_push',
  });

  expect([answer.status, await answer.json()]).toEqual([
    409,
    expect.objectContaining({ detail: expect.stringContaining('WEB_PUSH') }),
  ]);
  expect(service.registered).toEqual([]);
});
