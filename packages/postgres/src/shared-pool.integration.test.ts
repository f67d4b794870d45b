import { afterEach, expect, test } from '@jest/globals';
import { createShared, loadConfig, readEnvironment, systemIds } from '@tidings/platform';
import { databaseConfig, databaseFrom, loadPrisma, type Database } from './database.ts';

const open: Database[] = [];
afterEach(() => Promise.all(open.splice(0).map((db) => db.close())));

const config = loadConfig(databaseConfig, readEnvironment());
const processOf = (db: Database) =>
  db.sql
    .query<{ pid: number; name: string }>(
      `select pg_backend_pid() as pid, current_setting('application_name') as name`,
    )
    .then(({ rows: [row] }) => row);

/** Services of one process whose users all have one name. */
function createProcess() {
  const name = `one-${systemIds.uuid()}`;
  const shared = createShared(() => name);
  return {
    name,
    connect(service: string, overrides: Partial<typeof config> = {}, isKeyed = false): Database {
      const db = databaseFrom({ ...config, ...overrides }, service, { shared, isKeyed });
      open.push(db);
      return db;
    },
  };
}

test('services with the same settings share connections, under the name that they share', async () => {
  const { name, connect } = createProcess();
  const [one, other] = [connect('gateway'), connect('api')];

  expect(await processOf(one)).toMatchObject({ name });
  expect(await processOf(other)).toEqual(await processOf(one));
});

test.each([
  ['statement timeout', { databaseStatementTimeoutMs: 1_000 }, false],
  ['plans', {}, true],
])('services with other %s do not', async (_what, overrides, isKeyed) => {
  const { connect } = createProcess();
  const [one, other] = [connect('gateway'), connect('api', overrides, isKeyed)];

  expect((await processOf(other))?.pid).not.toBe((await processOf(one))?.pid);
});

test('services of other names do not, as in processes of their own', async () => {
  const shared = createShared();
  const [one, other] = ['gateway', 'api'].map((service) => {
    const db = databaseFrom(config, service, { shared });
    open.push(db);
    return db;
  }) as [Database, Database];

  expect([(await processOf(one))?.name, (await processOf(other))?.name]).toEqual([
    'gateway',
    'api',
  ]);
});

test('the pool stays open until its last service closes it', async () => {
  const { connect } = createProcess();
  const [one, other] = [connect('gateway'), connect('api')];
  await loadPrisma(one);

  await one.close();

  expect((await processOf(other))?.pid).toEqual(expect.any(Number));
});

test('a service with a smaller share leaves connections to the others', async () => {
  const { connect } = createProcess();
  const [slow, other] = [
    connect('api', { databasePoolMax: 1 }),
    connect('campaigns', { databasePoolMax: 2 }),
  ];
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = slow.transaction(() => promise);
  const second = slow.sql.query('select 1');

  expect((await processOf(other))?.pid).toEqual(expect.any(Number));

  resolve();
  await first;
  expect((await second).rowCount).toBe(1);
});
