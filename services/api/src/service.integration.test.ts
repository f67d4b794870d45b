import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { addMember, setPassword } from '@tidings/accounts/members/members';
import {
  createShared,
  listen,
  loadConfig,
  readEnvironment,
  systemClock,
  systemIds,
} from '@tidings/platform';
import { connectTestDatabase, createRecordingLogger, eventually } from '@tidings/testing';
import { createPasswords } from './auth/passwords.ts';
import { apiConfig } from './config.ts';
import { startApi } from './service.ts';

jest.setTimeout(60_000);

const db = connectTestDatabase({ poolMax: 2 });
const { logger, lines } = createRecordingLogger();
const environment = {
  ...readEnvironment(),
  HOST: '127.0.0.1',
  PORT: '0',
  ENCRYPTION_KEY: 'a key for tests, of thirty-two characters',
  PUBLIC_BASE_URL: 'http://127.0.0.1',
  TRUSTED_PROXIES: '127.0.0.1/32',
  // Without a listener.
  REDIS_URL: 'redis://127.0.0.1:1',
};
/** A constant clock with a few milliseconds of jitter, as concurrent requests would see. */
let looks = 0;
const startedAt = Date.now();
const clock: typeof systemClock = { ...systemClock, now: () => startedAt + ((looks += 7) % 10) };
const service = await startApi(loadConfig(apiConfig, environment), {
  logger,
  clock,
  ids: systemIds,
  shared: createShared(),
  listen,
  end: () => undefined,
});
const url = `http://127.0.0.1:${Number(lines.find(({ msg }) => msg === 'listening')?.['port'])}`;
afterAll(async () => {
  await service.stopIntake();
  await service.disconnect();
  await db.close();
});

/** Attempts of other tests on this machine must not count. */
const ADDRESS = `2001:db8:${systemIds.uuid().slice(-4)}:${systemIds.uuid().slice(-4)}::1`;
const PASSWORD = 'correct horse battery staple';

test('while Redis is unavailable members can sign in, and attempts are still counted', async () => {
  await eventually(() =>
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'redis is unavailable' })),
  );
  const member = await addMember(db, {
    email: `${systemIds.uuid()}@example.com`,
    name: 'Ada',
    role: 'viewer',
  });
  await setPassword(db, String(member?.id), {
    passwordHash: await createPasswords().hash(PASSWORD),
    endsSessions: false,
  });
  const signIn = async (password: string): Promise<number> => {
    const answer = await fetch(`${url}/api/v1/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': ADDRESS },
      body: JSON.stringify({ email: member?.email, password }),
    });
    await answer.body?.cancel();
    return answer.status;
  };

  expect(await signIn(PASSWORD)).toBe(200);
  const guesses = await Promise.all(Array.from({ length: 8 }, (_, at) => signIn(`guess ${at}`)));

  expect(guesses.toSorted()).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
});

describe('a request that reached the proxy over plain HTTP', () => {
  const ask = (path: string, method: string, proto = 'http') =>
    fetch(`${url}${path}`, { method, redirect: 'manual', headers: { 'X-Forwarded-Proto': proto } });

  test.each([
    ['POST', '/api/v1/session'],
    ['DELETE', '/api/v1/session'],
    ['PATCH', '/api/v1/applications/x'],
    ['POST', '/dashboard'],
    ['OPTIONS', '/api/v1/campaigns'],
  ])('%s %s is rejected', async (method, path) => {
    const answer = await ask(path, method);

    expect([answer.status, await answer.json()]).toEqual([
      403,
      expect.objectContaining({ code: 'https_required' }),
    ]);
  });

  test.each(['/api/v1/campaigns?limit=1', '/dashboard', '/openapi.json'])(
    'GET %s is redirected to https',
    async (path) => {
      const { status, headers } = await ask(path, 'GET');

      expect([status, headers.get('Location')]).toEqual([308, `https://127.0.0.1${path}`]);
    },
  );

  test('https is accepted', async () => {
    expect((await ask('/openapi.json', 'GET', 'https')).status).toBe(200);
  });
});
