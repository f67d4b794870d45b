import { expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { deviceIdOf } from '../../devices/device-ids.ts';
import { startSdkStandIn } from '../../testing/sdk-stand-in.ts';
import { connectShop } from '../../testing/shop-connection.ts';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('a device is registered with a token of its user before it is answered, and listens', async () => {
  await using service = await startSdkStandIn();
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox, { baseUrl: service.url });

  const answer = await sandbox.request('POST', '/api/devices', { customUserId: 'ada' });
  const { deviceId } = (await answer.json()) as { deviceId: string };

  expect(answer.status).toBe(201);
  expect(service.registered).toEqual([{ deviceId, kind: 'none', userToken: expect.any(String) }]);
  const [, claims = ''] = service.registered[0]?.userToken.split('.') ?? [];
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ sub: 'ada' });
  await eventually(() =>
    expect(service.streams.map((stream) => stream.deviceId)).toEqual([deviceId]),
  );
});

test('a browser subscribes with the key of the application, a phone has a token: each is registered so, and as one device for one address', async () => {
  await using service = await startSdkStandIn({ vapidPublicKey: `B${'A'.repeat(86)}` });
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox, { baseUrl: service.url });

  const ids = await Promise.all(
    ['web_push', 'fcm'].map(
      async (kind) =>
        (
          (await (
            await sandbox.request('POST', '/api/devices', { customUserId: 'ada', kind })
          ).json()) as { deviceId: string }
        ).deviceId,
    ),
  );

  const [browser, phone] = ['web_push', 'fcm'].map((kind) =>
    service.registered.find((device) => device.kind === kind),
  );
  expect([browser?.deviceId, phone?.deviceId]).toEqual(ids);
  expect(browser?.subscription?.endpoint).toContain(`${sandbox.url}/wpush/`);
  expect(phone?.deviceId).toBe(deviceIdOf(phone?.token ?? ''));
  expect(service.streams).toEqual([]);
});
