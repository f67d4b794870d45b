import { afterAll, expect, test } from '@jest/globals';
import { callSdk, createSdkApplication } from '../../testing/sdk-application.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi({ rates: { sdkDevice: { perSecond: 0.001, burst: 2 } } });
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test('a device above its rate limit gets Retry-After for every kind of call; others are not affected', async () => {
  const { headers } = await createSdkApplication(api.db);
  const register = (deviceId: string) =>
    callSdk(api, 'devices', { method: 'POST', headers, body: { deviceId, kind: 'none' } });
  expect([(await register('a')).status, (await register('a')).status]).toEqual([200, 200]);

  const refused = [
    await register('a'),
    await callSdk(api, 'identify', {
      method: 'POST',
      headers,
      body: { deviceId: 'a', userToken: 'x' },
    }),
    await callSdk(api, 'logout', { method: 'POST', headers, body: { deviceId: 'a' } }),
    await callSdk(api, 'devices/a', { method: 'DELETE', headers }),
  ];

  expect(refused.map(({ status, problem }) => [status, problem.code])).toEqual(
    refused.map(() => [429, 'rate_limited']),
  );
  expect(Number(refused[0]?.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect((await register('b')).status).toBe(200);
});
