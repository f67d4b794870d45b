import { afterAll, expect, test } from '@jest/globals';
import { readDevice } from '@tidings/people/devices/devices';
import { callSdk, createSdkApplication, createTestDevice } from '../../testing/sdk-application.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test.each(['a', 'a/b', 'ä 👩', '%'])(
  'the device %j is deleted, and its user stays',
  async (deviceId) => {
    const app = await createSdkApplication(api.db);
    const device = await createTestDevice(api.db, { ...app, customUserId: 'ada', deviceId });
    const other = await createTestDevice(api.db, { ...app, customUserId: 'ada' });

    const { status, text } = await callSdk(api, `devices/${encodeURIComponent(deviceId)}`, {
      method: 'DELETE',
      headers: app.headers,
    });

    expect([status, text]).toEqual([204, '']);
    expect([await readDevice(api.db.sql, device), await readDevice(api.db.sql, other)]).toEqual([
      null,
      other,
    ]);
  },
);
