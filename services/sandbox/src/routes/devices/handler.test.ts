import { expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { deviceIdOf } from '../../devices/device-ids.ts';
import { startSdkStandIn } from '../../testing/sdk-stand-in.ts';
import { connectShop } from '../../testing/shop-connection.ts';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('a device is registered with a user token before the response, and listens', async () => {
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

test('a device that names its id continues after a restart of the sandbox', async () => {
  await using service = await startSdkStandIn();
  for (const _start of [1, 2]) {
    await using sandbox = await startTestSandbox();
    await connectShop(sandbox, { baseUrl: service.url });
    await sandbox.request('POST', '/api/devices', { customUserId: 'ada', deviceId: 'screen' });
  }

  expect(service.registered.map(({ deviceId }) => deviceId)).toEqual(['screen', 'screen']);
});

test('a browser is registered with its subscription and a phone with its token, one device per address', async () => {
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

test.each([
  [{}, '/customUserId'],
  [{ customUserId: '' }, '/customUserId'],
  [{ customUserId: 5 }, '/customUserId'],
  [{ customUserId: 'ada', kind: 'fax' }, '/kind'],
  [{ customUserId: 'ada', deviceId: 'a b' }, '/deviceId'],
])('the device %j is rejected', async (body, pointer) => {
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox);

  const answer = await sandbox.request('POST', '/api/devices', body);

  expect([answer.status, await answer.json()]).toEqual([
    400,
    expect.objectContaining({ errors: [expect.objectContaining({ pointer })] }),
  ]);
});

test('devices are not listed', async () => {
  await using sandbox = await startTestSandbox();

  const response = await sandbox.request('GET', '/api/devices');

  expect([response.status, response.headers.get('Allow')]).toEqual([405, 'POST']);
});

test('before the shop is connected, devices cannot be created', async () => {
  await using sandbox = await startTestSandbox();

  const answer = await sandbox.request('POST', '/api/devices', { customUserId: 'ada' });

  expect([answer.status, await answer.json()]).toEqual([
    409,
    expect.objectContaining({ detail: expect.stringContaining('PUT /api/shop') }),
  ]);
});

test('a browser cannot subscribe if the application has no WEB_PUSH', async () => {
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

test('a request that another origin can send without a preflight is rejected', async () => {
  await using sandbox = await startTestSandbox();

  const answer = await fetch(`${sandbox.url}/api/devices`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain' },
    body: '{}',
  });

  expect(answer.status).toBe(415);
});

test('if the service is down or rejects the device, the sandbox returns an error', async () => {
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
