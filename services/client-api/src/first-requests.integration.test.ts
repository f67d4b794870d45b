/** @needs redis */
import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import {
  connectTestDatabase,
  countCompiledSchemas,
  LOGS_COMPILATIONS,
  spawnService,
} from '@tidings/testing';
import { callSdk, createSdkApplication, type SdkCall } from './testing/sdk-application.ts';
import { ENCRYPTION_KEY, PUBLIC_BASE_URL } from './testing/test-client-api.ts';

const db = connectTestDatabase();
const service = spawnService(new URL('main.ts', import.meta.url), {
  ...LOGS_COMPILATIONS,
  ENCRYPTION_KEY,
  PUBLIC_BASE_URL,
});
afterAll(async () => {
  await service.kill();
  await db.close();
});

test('the service of devices compiles before it listens: no valid request waits for a schema', async () => {
  const { headers } = await createSdkApplication(db);
  const api = { url: await service.url };
  const before = countCompiledSchemas(service);
  const deviceId = systemIds.uuid();
  const call = async (path: string, options: SdkCall): Promise<number> =>
    (await callSdk(api, path, { headers, ...options })).status;
  const post = (path: string, body: object) => call(path, { method: 'POST', body });

  const statuses = [
    await post('devices', { deviceId, kind: 'none' }),
    await call(`messages?deviceId=${deviceId}&wait=0`, {}),
    await post('receipts', {
      deviceId,
      receipts: [{ deliveryId: systemIds.uuid(), event: 'received' }],
    }),
    // The token is checked after the body.
    await post('identify', { deviceId, userToken: 'a.b.c' }),
    await post('logout', { deviceId }),
    await call(`devices/${deviceId}`, { method: 'DELETE' }),
  ];

  expect(statuses).toEqual([200, 200, 200, 403, 200, 204]);
  // One is that of its settings.
  expect(before).toBeGreaterThan(1);
  expect(countCompiledSchemas(service)).toBe(before);
});
