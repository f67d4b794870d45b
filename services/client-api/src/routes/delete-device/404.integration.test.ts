import { afterAll, expect, test } from '@jest/globals';
import { callSdk, createSdkApplication, createTestDevice } from '../../testing/sdk-application.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test.each(['unregistered', 'a%00b', 'x'.repeat(129), 'DEVICE'])(
  '%s is not a device',
  async (path) => {
    const app = await createSdkApplication(api.db);
    await createTestDevice(api.db, { ...app, deviceId: 'device' });

    const { status, problem } = await callSdk(api, `devices/${path}`, {
      method: 'DELETE',
      headers: app.headers,
    });

    expect([status, problem.code]).toEqual([404, 'not_found']);
  },
);

test('a device can be deleted once', async () => {
  const app = await createSdkApplication(api.db);
  const { deviceId } = await createTestDevice(api.db, app);
  const remove = () =>
    callSdk(api, `devices/${deviceId}`, { method: 'DELETE', headers: app.headers });

  expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
});

test('a path that is not UTF-8 gets 400', async () => {
  const app = await createSdkApplication(api.db);

  expect(
    (await callSdk(api, 'devices/%ff', { method: 'DELETE', headers: app.headers })).status,
  ).toBe(400);
});
