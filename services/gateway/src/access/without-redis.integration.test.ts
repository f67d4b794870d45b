import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import type { Database } from '@tidings/postgres/database';
import {
  createOwnDatabase,
  createRelay,
  eventually,
  publicTestDatabaseUrl,
  type SpawnedService,
} from '@tidings/testing';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { spawnGateway } from '../testing/gateway-process.ts';

jest.setTimeout(120_000);

const REFUSED =
  'Another Tidings process uses this database without Redis. Set REDIS_URL for all of them, or stop the other.';

let db: Database;
let databaseUrl: string;
beforeAll(async () => {
  db = await createOwnDatabase({ poolMax: 1 });
  const { rows } = await db.sql.query<{ name: string }>('select current_database() as name');
  databaseUrl = Object.assign(new URL(publicTestDatabaseUrl()), { pathname: rows[0]?.name }).href;
});
afterAll(() => db.close());

const running: SpawnedService[] = [];
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.kill();
  // Postgres ends the sessions of a killed process a moment later.
  await eventually(async () => {
    const { rows } = await db.sql.query<{ count: number }>(
      'select count(*)::int as count from pg_stat_activity where datname = current_database()',
    );
    if (rows[0]?.count !== 1) throw new Error('a session is open still');
  });
});

function start(environment: Readonly<Record<string, string>> = {}): SpawnedService {
  const gateway = spawnGateway({
    PUBLIC_DATABASE_URL: databaseUrl,
    REDIS_URL: '',
    DRAIN_WAIT_MS: '0',
    ...environment,
  });
  running.push(gateway);
  return gateway;
}

async function freePort(): Promise<string> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

test('a second process waits, alive and not ready, and serves after the first was killed', async () => {
  const first = start();
  await first.url;
  const healthPort = await freePort();
  const second = start({ HEALTH_PORT: healthPort });
  await eventually(() => expect(second.messages).toContain(REFUSED), { timeoutMs: 60_000 });

  const health = `http://127.0.0.1:${healthPort}`;
  expect(await statusOf(`${health}/healthz`)).toBe(200);
  expect(await statusOf(`${health}/readyz`)).toBe(503);
  expect(second.messages).not.toContain('listening');
  await first.kill();

  expect(await statusOf(`${await second.url}/`)).toBe(405);
  await eventually(async () => expect(await statusOf(`${health}/readyz`)).toBe(200));
});

test('a process that lost its connection, and then the database to another, ends', async () => {
  const relay = await createRelay(databaseUrl);
  const first = start({ PUBLIC_DATABASE_URL: relay.url });
  await first.url;

  relay.set('refuse');
  const second = start();
  await second.url;
  expect(first.messages).not.toContain('draining');
  relay.set('pass');

  expect(await first.exited).toBe(1);
  expect(first.messages).toContain('service stopped');
  expect(await statusOf(`${await second.url}/`)).toBe(405);
  await relay.close();
});
