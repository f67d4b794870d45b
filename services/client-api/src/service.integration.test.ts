/** @needs redis */

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { listApiKeys, revokeApiKey } from '@tidings/accounts/api-keys';
import type { Coordination } from '@tidings/coordination';
import {
  createShared,
  listen,
  loadConfig,
  readEnvironment,
  systemClock,
  systemIds,
  type Service,
} from '@tidings/platform';
import {
  connectTestDatabase,
  createRecordingLogger,
  eventually,
  openTestCoordination,
} from '@tidings/testing';
import { clientApiConfig } from './config.ts';
import { startClientApi } from './service.ts';
import { openStream } from './testing/inbox-messages.ts';
import { callSdk, createSdkApplication, createTestDevice } from './testing/sdk-application.ts';
import { PUBLIC_BASE_URL, startTestClientApi } from './testing/test-client-api.ts';

jest.setTimeout(30_000);

const db = connectTestDatabase();
const { logger, lines } = createRecordingLogger();
let coordination: Coordination;
let service: Service;
let api: { readonly url: string };

beforeAll(async () => {
  coordination = await openTestCoordination();
  const environment = {
    ...readEnvironment(),
    HOST: '127.0.0.1',
    PORT: '0',
    ENCRYPTION_KEY: 'a key for tests, of thirty-two characters',
    PUBLIC_BASE_URL,
    RATE_SDK_DEVICE_BURST: '3',
    TRUSTED_PROXIES: '127.0.0.1',
  };
  service = await startClientApi(loadConfig(clientApiConfig, environment), {
    logger,
    clock: systemClock,
    ids: systemIds,
    shared: createShared(),
    listen,
    end: () => undefined,
  });
  const port = Number(lines.find(({ msg }) => msg === 'listening')?.['port']);
  api = { url: `http://127.0.0.1:${port}` };
});
afterAll(async () => {
  await service?.stopIntake();
  await service?.disconnect();
  await coordination?.close();
  await db.close();
});

test('the real service accepts a Client key, returns its rate limit, and rejects a revoked key within 5 s', async () => {
  const { applicationId, headers } = await createSdkApplication(db);

  const first = await callSdk(api, 'config', { headers });
  expect([first.status, first.headers.get('RateLimit-Limit')]).toEqual([200, '400']);

  for (const { id, type } of await listApiKeys(db, applicationId))
    if (type === 'client') await revokeApiKey(db, applicationId, id);
  await eventually(() => coordination.keyChanges.publish(applicationId));
  await eventually(
    async () => expect((await callSdk(api, 'config', { headers })).status).toBe(403),
    { timeoutMs: 5_000 },
  );
});

describe('a request that reached the proxy over plain HTTP', () => {
  const ask = (path: string, method: string) =>
    fetch(`${api.url}${path}`, {
      method,
      redirect: 'manual',
      headers: { 'X-Forwarded-Proto': 'http' },
    });

  test.each([
    ['POST', '/sdk/v1/devices'],
    ['OPTIONS', '/sdk/v1/devices'],
    ['DELETE', '/sdk/v1/devices/d'],
    ['POST', '/cb/sms/twilio/status?d=x'],
    ['POST', '/cb/email/dsn'],
    ['POST', '/u/x'],
    ['POST', '/nowhere'],
  ])('%s %s is rejected', async (method, path) => {
    const answer = await ask(path, method);

    expect([answer.status, await answer.json()]).toEqual([
      403,
      expect.objectContaining({ code: 'https_required' }),
    ]);
  });

  test.each(['/sdk/v1/config', '/sdk/v1/sdk.js', '/t/c?l=x', '/u/x', '/nowhere'])(
    'GET %s is redirected to https',
    async (path) => {
      const { status, headers } = await ask(path, 'GET');

      expect([status, headers.get('Location')]).toEqual([308, `https://127.0.0.1${path}`]);
    },
  );

  test('https is accepted', async () => {
    const { headers } = await createSdkApplication(db);

    expect(
      (await callSdk(api, 'config', { headers: { ...headers, 'X-Forwarded-Proto': 'https' } }))
        .status,
    ).toBe(200);
  });
});

test('the rate limit of a device is the configured one', async () => {
  const { headers } = await createSdkApplication(db);
  const statuses: number[] = [];
  const register = async () =>
    (
      await callSdk(api, 'devices', {
        method: 'POST',
        headers,
        body: { deviceId: 'd', kind: 'none' },
      })
    ).status;

  await eventually(async () => {
    statuses.push(
      ...(await Promise.all([
        register(),
        register(),
        register(),
        register(),
        register(),
        register(),
      ])),
    );
    expect(statuses).toContain(429);
  });

  expect(new Set(statuses)).toEqual(new Set([200, 429]));
});

test('while it drains, waiting and new connections for messages end normally, none is rejected', async () => {
  await using draining = await startTestClientApi();
  const { applicationId, headers } = await createSdkApplication(db);
  const { deviceId } = await createTestDevice(db, { applicationId });
  const poll = () => callSdk(draining, `messages?deviceId=${deviceId}`, { headers });
  const waiting = poll();
  const open = await openStream(draining.url, { headers, deviceId });

  await draining.inboxSubscriptions.close();

  for (const answer of [await waiting, await poll()])
    expect(answer).toMatchObject({ status: 200, body: { messages: [] } });
  const late = await openStream(draining.url, { headers, deviceId });
  expect([open.status, late.status, await open.ended(), await late.ended()]).toEqual([
    200,
    200,
    true,
    true,
  ]);
});
