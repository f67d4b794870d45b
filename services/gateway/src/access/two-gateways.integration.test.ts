/** @needs redis */

import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  changeKeyToClient,
  createApiKey,
  listApiKeys,
  revokeApiKey,
} from '@tidings/accounts/api-keys';
import { writeAllowList, type SettingsChange } from '@tidings/accounts/applications';
import type { Coordination } from '@tidings/coordination';
import { updateApplication } from '@tidings/people/update-application';
import {
  createShared,
  listen,
  loadConfig,
  readEnvironment,
  systemClock,
  systemIds,
  type Service,
} from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import {
  connectTestDatabase,
  createRecordingLogger,
  createTestApplication,
  eventually,
  openTestCoordination,
} from '@tidings/testing';
import { gatewayConfig } from '../config.ts';
import { startGateway } from '../service.ts';

jest.setTimeout(30_000);

const WITHIN_MS = 5_000;
const REFRESHED_MS = 60_000;

type Running = { readonly url: string; readonly service: Service; advance(ms: number): void };

/** The whole gateway as `main` starts it; `advance` moves its clock. */
async function start(overrides: Readonly<Record<string, string>> = {}): Promise<Running> {
  let aheadMs = 0;
  const clock = {
    ...systemClock,
    now: () => systemClock.now() + aheadMs,
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
  };
  const { logger, lines } = createRecordingLogger();
  const config = loadConfig(gatewayConfig, {
    ...readEnvironment(),
    HOST: '127.0.0.1',
    PORT: '0',
    TRUSTED_PROXIES: '127.0.0.1',
    ...overrides,
  });
  const service = await startGateway(config, {
    logger,
    clock,
    ids: systemIds,
    shared: createShared(),
    listen,
    end: () => undefined,
  });
  const port = Number(lines.find(({ msg }) => msg === 'listening')?.['port']);
  return {
    service,
    url: `http://127.0.0.1:${port}`,
    advance: (ms) => {
      aheadMs += ms;
    },
  };
}

let db: Database;
let coordination: Coordination;
let gateways: readonly Running[];
let alone: Running;
let tenant: { readonly applicationId: string; readonly keyId: string; readonly key: string };

beforeAll(async () => {
  db = connectTestDatabase({ poolMax: 4 });
  coordination = await openTestCoordination();
  gateways = await Promise.all([start(), start()]);
  // A closed port.
  alone = await start({ REDIS_URL: 'redis://127.0.0.1:1' });
  await eventually(() => coordination.keyChanges.publish('connected'));
});
afterAll(async () => {
  for (const { service } of [...gateways, alone]) {
    await service.stopIntake();
    await service.disconnect();
  }
  await coordination.close();
  await db.close();
});
beforeEach(async () => {
  const { applicationId } = await createTestApplication(db);
  const made = await createApiKey(db, { applicationId, type: 'server', name: 'test' });
  if (made === 'too_many') throw new Error('there are keys already');
  tenant = { applicationId, keyId: made.id, key: made.key };
});

/** The response to an invalid body: 400 shows that the request was authorized. */
async function call(
  { url }: Running,
  { path = '/', key = tenant.key, from = '10.1.2.3' } = {},
): Promise<{ readonly answer: string; readonly limit: string | null }> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      'X-Application-Id': tenant.applicationId,
      'X-API-Key': key,
      'Content-Type': 'application/json',
      'X-Forwarded-For': from,
    },
    body: '{',
  });
  const { code } = (await response.json()) as { readonly code: string };
  return { answer: `${response.status} ${code}`, limit: response.headers.get('RateLimit-Limit') };
}

const answers = async (options?: Parameters<typeof call>[1]) =>
  Promise.all(gateways.map(async (gateway) => (await call(gateway, options)).answer));
const both = (answer: string) => [answer, answer];
const LET_IN = '400 invalid_json';

/** Like the dashboard. */
const announce = () => coordination.keyChanges.publish(tenant.applicationId);

describe('a change is effective on every gateway within 5 s', () => {
  beforeEach(async () => {
    // Now both have the old key in their cache.
    await answers();
  });

  test('a key is revoked', async () => {
    await revokeApiKey(db, tenant.applicationId, tenant.keyId);
    await announce();

    await eventually(async () => expect(await answers()).toEqual(both('403 forbidden')), {
      timeoutMs: WITHIN_MS,
    });
  });

  test('a Server key becomes a Client key', async () => {
    await changeKeyToClient(db, tenant.applicationId, tenant.keyId);
    await announce();

    await eventually(
      async () =>
        expect(await answers({ path: '/push' })).toEqual(both('403 client_key_forbidden')),
      { timeoutMs: WITHIN_MS },
    );
    expect(await answers()).toEqual(both(LET_IN));
  });

  test('the allow-list is set, changed and removed', async () => {
    for (const [entries, answer] of [
      [['192.0.2.0/24'], '403 ip_not_allowed'],
      [['192.0.2.0/24', '10.0.0.0/8'], LET_IN],
      [['192.0.2.0/24'], '403 ip_not_allowed'],
      [[], LET_IN],
    ] as const) {
      await writeAllowList(db, tenant.applicationId, entries);
      await announce();
      await eventually(async () => expect(await answers()).toEqual(both(answer)), {
        timeoutMs: WITHIN_MS,
      });
    }
  });

  test('the application has rates of its own, and none', async () => {
    const limits = async () =>
      Promise.all(gateways.map(async (gateway) => (await call(gateway)).limit));
    expect(await limits()).toEqual(both('2000'));

    for (const [perSecond, limit] of [
      [10, '77'],
      [0, null],
    ] as const) {
      const settings: SettingsChange = {
        rates: { ingest: { perSecond, burst: 77 }, ingestBytes: { perSecond: 0, burst: 1 } },
      };
      await updateApplication(db, tenant.applicationId, { settings });
      await announce();
      await eventually(async () => expect(await limits()).toEqual([limit, limit]), {
        timeoutMs: WITHIN_MS,
      });
    }
  });
});

test('what came to the proxy by plain HTTP is rejected, unless the operator allows it', async () => {
  const allowing = await start({ HTTPS_ONLY: 'false' });
  const byPlainHttp = async ({ url }: Running): Promise<string> => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'X-Forwarded-Proto': 'http' },
      body: '{',
    });
    return ((await answer.json()) as { readonly code: string }).code;
  };

  try {
    expect([await byPlainHttp(alone), await byPlainHttp(allowing)]).toEqual([
      'https_required',
      'forbidden',
    ]);
  } finally {
    await allowing.service.stopIntake();
    await allowing.service.disconnect();
  }
});

describe('without Redis', () => {
  test('a revoked key is rejected after a minute at the latest', async () => {
    expect((await call(alone)).answer).toBe(LET_IN);
    await revokeApiKey(db, tenant.applicationId, tenant.keyId);

    alone.advance(REFRESHED_MS);

    expect((await call(alone)).answer).toBe('403 forbidden');
  });

  test('also when it is in use all the time', async () => {
    expect((await call(alone)).answer).toBe(LET_IN);
    await revokeApiKey(db, tenant.applicationId, tenant.keyId);
    const seen: string[] = [];

    for (let passedMs = 0; passedMs < REFRESHED_MS; passedMs += 5_000) {
      alone.advance(5_000);
      seen.push((await call(alone)).answer);
    }

    expect(seen.at(-1)).toBe('403 forbidden');
  });

  test('requests are counted by each gateway for itself', async () => {
    expect(await call(alone)).toEqual({ answer: LET_IN, limit: '2000' });
  });
});

test('two gateways together let through what the rate allows', async () => {
  // Low, so a busy machine exceeds it too.
  const rate = { perSecond: 5, burst: 30 };
  await updateApplication(db, tenant.applicationId, { settings: { rates: { ingest: rate } } });
  const startedAt = performance.now();
  const seen: string[] = [];
  await Promise.all(
    gateways.map(async (gateway) => {
      const isBusy = () =>
        performance.now() - startedAt < 1_000 ||
        (!seen.includes('429 rate_limited') && performance.now() - startedAt < 20_000);
      while (isBusy())
        seen.push(
          ...(await Promise.all(Array.from({ length: 5 }, () => call(gateway)))).map(
            ({ answer }) => answer,
          ),
        );
    }),
  );

  const letIn = seen.filter((answer) => answer === LET_IN).length;
  const allowed = rate.burst + (rate.perSecond * (performance.now() - startedAt)) / 1000;
  expect(new Set(seen)).toEqual(new Set([LET_IN, '429 rate_limited']));
  expect(letIn).toBeLessThanOrEqual(allowed);
  expect(letIn).toBeGreaterThan(0.8 * allowed);
});

describe('behind the requests', () => {
  const lastUsedAt = async () =>
    (await listApiKeys(db, tenant.applicationId)).find(({ id }) => id === tenant.keyId)
      ?.lastUsedAt ?? null;

  test('the last use of a key is written', async () => {
    expect(await lastUsedAt()).toBeNull();
    const startedAt = Date.now();

    await answers();

    await eventually(async () => expect(await lastUsedAt()).toBeGreaterThanOrEqual(startedAt), {
      timeoutMs: 15_000,
    });
  });

  test('key guessing uses two Postgres connections, and all other work the rest', async () => {
    const [gateway] = gateways;
    if (gateway === undefined) throw new Error('there is no gateway');
    await call(gateway);

    const guesses = Array.from({ length: 150 }, (_, index) =>
      call(gateway, { key: `sk_guess${index}`, from: `203.0.113.${index % 250}` }),
    );
    const good = await call(gateway);
    const seen = new Set((await Promise.all(guesses)).map(({ answer }) => answer));

    expect(good.answer).toBe(LET_IN);
    expect(
      [...seen].filter((answer) => answer !== '403 forbidden' && answer !== '503 unavailable'),
    ).toEqual([]);
    const { rows } = await db.sql.query<{ connections: number }>(
      `select count(*)::int as connections from pg_stat_activity where application_name = 'gateway-keys'`,
    );
    // Three gateways are running here.
    expect(rows[0]?.connections).toBeLessThanOrEqual(3 * 2);
  });
});
