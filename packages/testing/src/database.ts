import { createApplication, type Application } from '@tidings/accounts/applications';
import { readEnvironment, systemIds } from '@tidings/platform';
import { connectDatabase, type Database, type Sql } from '@tidings/postgres/database';
import { eventually } from './eventually.ts';

/** The migrated database of the integration tests. */
export function testDatabaseUrl(): string {
  return urlIn('DATABASE_URL');
}

/** The same database, for the role of the services that face the internet. */
export function publicTestDatabaseUrl(): string {
  return urlIn('PUBLIC_DATABASE_URL');
}

function urlIn(name: string): string {
  const databaseUrl = readEnvironment()[name];
  if (databaseUrl === undefined)
    throw new Error(`${name} is missing: integration tests run by \`npm test\``);
  return databaseUrl;
}

/** A connection to the migrated database of the integration tests; the test closes it. */
export function connectTestDatabase({ poolMax = 10 } = {}): Database {
  return connectDatabase({ databaseUrl: testDatabaseUrl(), poolMax, applicationName: 'test' });
}

/** As `connectTestDatabase`, with the rights of the services that face the internet: what they run in a test, they run by this. */
export function connectPublicTestDatabase({ poolMax = 10 } = {}): Database {
  return connectDatabase({
    databaseUrl: publicTestDatabaseUrl(),
    poolMax,
    applicationName: 'test',
  });
}

/** An application of its own for each test: tests share the database and never a tenant. */
export function createTestApplication(db: Database): Promise<Application> {
  return createApplication(db, `test ${systemIds.uuid()}`);
}

const DEADLOCK_DETECTED = '40P01';
const TRIES_MAX = 20;

/** A transaction as a consumer runs it: the victim of a deadlock tries again, every other error is the test's. */
export async function transactUntilDone<T>(
  db: Database,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction(work);
    } catch (error) {
      const isDeadlock =
        error instanceof Error && 'code' in error && error.code === DEADLOCK_DETECTED;
      if (!isDeadlock || attempt === TRIES_MAX) throw error;
    }
  }
}

const BLOCKED = `with recursive blocked as (
  select pid from pg_stat_activity where $1::int = any(pg_blocking_pids(pid))
  union select a.pid from pg_stat_activity a join blocked b on b.pid = any(pg_blocking_pids(a.pid)))
  select 1 from blocked`;

/** Waits until another transaction waits for one of this transaction's locks, or `waitersMin` of them, one behind the other. */
export async function untilBlockedBy(
  db: Database,
  sql: Sql,
  { waitersMin = 1 } = {},
): Promise<void> {
  const { rows } = await sql.query<{ pid: number }>('select pg_backend_pid() as pid');
  await eventually(async () => {
    const blocked = await db.sql.query(BLOCKED, [rows[0]?.pid]);
    if ((blocked.rowCount ?? 0) < waitersMin) throw new Error('too few transactions wait');
  });
}
