import { LOG_TOPIC_SPECS } from '@tidings/contracts/topics';
import { MIGRATIONS_DIR, PUBLIC_ROLE_FILE } from '@tidings/database/files';
import { ensureTopics } from '@tidings/partitioned-log/topics';
import { systemIds } from '@tidings/platform';
import { connectDatabase, type Database } from '@tidings/postgres/database';
import { migrate } from '@tidings/postgres/migrate';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectTestDatabase, testDatabaseUrl } from './database.ts';

/**
 * A migrated database of its own, for tests of what works over the whole database, as sweeps do;
 * `close` drops it. `isKeyed` as in `connectDatabase`. It is a copy of a template: migrations take
 * seconds, a copy takes half of one.
 */
export async function createOwnDatabase({ poolMax = 10, isKeyed = false } = {}): Promise<Database> {
  const name = `test_${systemIds.uuid().replaceAll('-', '')}`;
  const shared = connectTestDatabase({ poolMax: 1 });
  try {
    const template = await ensureTemplate(shared);
    await shared.sql.query(`create database ${name} template ${template}`);
  } catch (error) {
    // Its session holds the lock of the template, for which other tests wait.
    await shared.close();
    throw error;
  }
  const db = connectDatabase({
    databaseUrl: urlOf(name),
    poolMax,
    applicationName: 'test',
    isKeyed,
  });
  return {
    ...db,
    async close() {
      await db.close();
      await shared.sql.query(`drop database ${name}`);
      await shared.close();
    },
  };
}

function urlOf(database: string): string {
  return Object.assign(new URL(testDatabaseUrl()), { pathname: database }).href;
}

/** Any number: nothing else takes this lock in the shared database. */
const TEMPLATE_LOCK = 4_207_011;

/**
 * The name of a database that has all migrations and no connections, made by the first test that
 * needs it. Its name follows from the migrations, since a server may outlive a run.
 */
async function ensureTemplate(shared: Database): Promise<string> {
  const name = `test_template_${await digestMigrations()}`;
  // In the session of the only connection of this pool, which the caller closes after an error.
  await shared.sql.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  const exists = async (database: string): Promise<boolean> =>
    (await shared.sql.query('select from pg_database where datname = $1', [database])).rowCount ===
    1;
  if (!(await exists(name))) {
    const unfinished = `${name}_unfinished`;
    await shared.sql.query(`drop database if exists ${unfinished}`);
    await shared.sql.query(`create database ${unfinished}`);
    await migrate(urlOf(unfinished));
    const db = connectDatabase({
      databaseUrl: urlOf(unfinished),
      poolMax: 1,
      applicationName: 'test',
    });
    await ensureTopics(db, LOG_TOPIC_SPECS, { isBus: false }).finally(() => db.close());
    await shared.sql.query(`alter database ${unfinished} rename to ${name}`);
  }
  await shared.sql.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  return name;
}

async function digestMigrations(): Promise<string> {
  const hash = createHash('sha256');
  const names = (await readdir(MIGRATIONS_DIR)).sort();
  for (const file of [...names.map((name) => join(MIGRATIONS_DIR, name)), PUBLIC_ROLE_FILE])
    hash.update(await readFile(file));
  return hash.digest('hex').slice(0, 16);
}
