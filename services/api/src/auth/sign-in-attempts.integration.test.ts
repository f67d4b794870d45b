import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { createWrongKeys } from '@tidings/access';
import { createAdminToken } from '@tidings/accounts/admin-tokens';
import { createInProcessCoordination } from '@tidings/coordination';
import { systemClock, systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { connectTestDatabase } from '@tidings/testing';
import type { ApiDependencies } from '../dependencies.ts';
import { asKey, asPage, startTestApi, type Headers } from '../testing/test-api.ts';

jest.setTimeout(30_000);

const CONNECTIONS = 64;
const GUESSES = 2_000;
/**
 * An address without wrong credentials has 100 concurrent lookups. After 20 wrong ones within a
 * minute it has 4 per second.
 */
const FIRST = 100;

/** The API with the delays of an installation, over a database that counts credential lookups. */
async function start(overrides: Partial<ApiDependencies> = {}) {
  const db = connectTestDatabase({ poolMax: 4 });
  let lookUps = 0;
  const query = (...args: Parameters<typeof db.sql.query>) => {
    if (/from (api_keys|admin_tokens|sessions)/.test(String(args[0]))) lookUps += 1;
    return db.sql.query(...args);
  };
  const counting: Database = { ...db, sql: { query } as Database['sql'] };
  const api = await startTestApi(
    { wrongKeys: createWrongKeys({ clock: systemClock }), ...overrides },
    counting,
  );
  return { api, lookUps: () => lookUps };
}

const running: (typeof subject)[] = [];
const subject = await start();
running.push(subject);
afterAll(async () => {
  for (const { api } of running) await api[Symbol.asyncDispose]();
});

const KINDS: readonly [string, (applicationId: string) => Headers, number][] = [
  [
    'Server keys',
    (applicationId) => ({
      'X-Application-Id': applicationId,
      'X-API-Key': `sk_${systemIds.uuid()}`,
    }),
    403,
  ],
  [
    'administrator tokens',
    (applicationId) => ({
      'X-Application-Id': applicationId,
      Authorization: `Bearer at_${systemIds.uuid()}`,
    }),
    403,
  ],
  [
    'sessions',
    (applicationId) => ({ 'X-Application-Id': applicationId, ...asPage(systemIds.uuid()) }),
    401,
  ],
];

describe('many wrong credentials from one address', () => {
  test.each(KINDS)(
    'of %s costs a bounded number of lookups, and does not delay valid credentials',
    async (_what, guess, refused) => {
      const { api, lookUps } = subject;
      const { tenant } = api;
      const from = `2001:db8:${systemIds.uuid().slice(0, 4)}:1::1`;
      // Cached before.
      expect(
        (await api.request('GET', 'campaigns?limit=1', { headers: api.asServer })).status,
      ).toBe(200);
      const before = lookUps();
      const startedAt = performance.now();
      const statuses = new Map<number, number>();
      let sent = 0;
      const flood = async (): Promise<void> => {
        while (sent < GUESSES) {
          sent += 1;
          const { status } = await api.request('GET', 'campaigns?limit=1', {
            headers: { ...guess(tenant.applicationId), 'X-Forwarded-For': from },
          });
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      };
      let readings = 0;
      const honest = async (): Promise<void> => {
        while (sent < GUESSES) {
          // Another address, and the same address with a cached valid key.
          const headers = {
            ...api.asServer,
            ...(readings % 2 === 0 && { 'X-Forwarded-For': from }),
          };
          expect((await api.request('GET', 'campaigns?limit=1', { headers })).status).toBe(200);
          readings += 1;
        }
      };

      await Promise.all([...Array.from({ length: CONNECTIONS }, flood), honest()]);

      const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
      expect([...statuses.keys()].toSorted()).toEqual([refused, 429]);
      expect(readings).toBeGreaterThan(0);
      // Four are delayed for a second each.
      expect(lookUps() - before - readings).toBeLessThanOrEqual(FIRST + 4 * (seconds + 1));
    },
  );

  test('cost no more lookups when each request is aborted after 50 ms', async () => {
    const { api, lookUps } = subject;
    const from = `2001:db8:${systemIds.uuid().slice(0, 4)}:2::1`;
    // An application that no other test uses with wrong credentials.
    const applicationId = systemIds.uuid();
    const guess = (signal: AbortSignal | null) =>
      fetch(`${api.url}/api/v1/campaigns?limit=1`, {
        signal,
        headers: {
          'X-Application-Id': applicationId,
          'X-API-Key': `sk_${systemIds.uuid()}`,
          'X-Forwarded-For': from,
        },
      }).then(
        ({ status }) => status,
        () => 'aborted',
      );
    // Then wrong ones from this address are delayed.
    for (let free = 0; free < 20; free += 1) await guess(null);
    const before = lookUps();
    const startedAt = performance.now();
    const results = new Set<number | string>();

    await Promise.all(
      Array.from({ length: 4 }, async () => {
        while (performance.now() - startedAt < 3_000)
          results.add(await guess(AbortSignal.timeout(50)));
      }),
    );

    const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
    expect(results).toContain('aborted');
    expect(lookUps() - before).toBeLessThanOrEqual(4 * (seconds + 1));
  });

  test('a repeated wrong one is looked up once', async () => {
    // Requests that were aborted above may still be looked up.
    const own = await start();
    running.push(own);
    const { api, lookUps } = own;
    const headers = {
      ...asKey(api.other, 'sk_repeated'),
      'X-Forwarded-For': '2001:db8:aaaa:1::1',
    };
    const before = lookUps();

    for (let request = 0; request < 15; request += 1)
      expect((await api.request('GET', 'campaigns', { headers })).status).toBe(403);

    expect(lookUps() - before).toBe(1);
  });
});

test('a new token accepts any number of concurrent requests with a single lookup', async () => {
  const { api } = subject;
  const { token } = await createAdminToken(api.db, { name: 'parallel' });
  const headers = {
    Authorization: `Bearer ${token}`,
    'X-Application-Id': api.tenant.applicationId,
    'X-Forwarded-For': '2001:db8:bbbb:1::1',
  };

  const answers = await Promise.all(
    Array.from({ length: 50 }, () => api.request('GET', 'campaigns?limit=1', { headers })),
  );

  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
});

test('a revoked key is rejected at the next request', async () => {
  const { api } = subject;
  const { body: key } = await api.request<{ id: string; key: string }>('POST', 'keys', {
    headers: api.asAdmin,
    body: { type: 'server', name: 'short' },
  });
  const headers = asKey(api.tenant, key.key);
  expect((await api.request('GET', 'campaigns', { headers })).status).toBe(200);

  expect((await api.request('DELETE', `keys/${key.id}`, { headers: api.asAdmin })).status).toBe(
    204,
  );

  expect((await api.request('GET', 'campaigns', { headers })).status).toBe(403);
});

test('each key, token and session has its own rate limit, returned when exhausted; requests beyond it cost no lookup', async () => {
  const limiter = createInProcessCoordination({ clock: systemClock }).rateLimiters({
    replicas: 1,
  })('api');
  const limited = await start({
    callerRateOf: (caller) => limiter.localOf(caller, { perSecond: 0.001, burst: 3 }),
  });
  running.push(limited);
  const { api, lookUps } = limited;
  const { headers: asMember } = await api.signIn('viewer');
  const call = (headers: Headers) => api.request('GET', 'campaigns', { headers });

  for (const headers of [api.asServer, api.asAdmin, asMember]) {
    for (let request = 0; request < 3; request += 1) expect((await call(headers)).status).toBe(200);
    const before = lookUps();
    const refused = await call(headers);
    expect([
      refused.status,
      refused.problem.code,
      ...['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After'].map((name) =>
        refused.headers.get(name),
      ),
    ]).toEqual([429, 'rate_limited', '3', '0', '3000', '1000']);
    expect(lookUps() - before).toBe(0);
  }
});
