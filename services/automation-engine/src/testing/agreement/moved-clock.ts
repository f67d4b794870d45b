import { connectDatabase, type Database } from '@tidings/postgres/database';
import { createOwnDatabase, testDatabaseUrl } from '@tidings/testing';

export type MovedClock = {
  readonly db: Database;
  /** Milliseconds. */
  set(at: number): Promise<void>;
  close(): Promise<void>;
};

/**
 * A database whose `now()` and `clock_timestamp()` are what a test says: functions of that name come
 * before those of Postgres in its search path. Defaults of columns name the functions themselves.
 */
export async function createMovedClock(): Promise<MovedClock> {
  const own = await createOwnDatabase({ poolMax: 2 });
  await own.sql.query(`
    create schema moved;
    create table moved.clock (at timestamptz not null);
    insert into moved.clock values (pg_catalog.now());
    create function moved.now() returns timestamptz language sql stable
      as 'select at from moved.clock';
    create function moved.clock_timestamp() returns timestamptz language sql stable
      as 'select at from moved.clock';
    alter table automation_runs alter column entered_at set default moved.now();
    alter table automation_trace alter column at set default moved.now();
    alter table automation_triggers alter column at set default moved.now();
    alter table deliveries alter column created_at set default moved.now();
    alter table deliveries alter column updated_at set default moved.now();`);
  const { rows } = await own.sql.query<{ name: string }>('select current_database() as name');
  const url = new URL(testDatabaseUrl());
  url.pathname = String(rows[0]?.name);
  url.searchParams.set('options', '-c search_path=moved,public,pg_catalog');
  const db = connectDatabase({
    databaseUrl: url.href,
    poolMax: 4,
    applicationName: 'test',
    isKeyed: true,
  });
  return {
    db,
    async set(at) {
      await own.sql.query('update moved.clock set at = to_timestamp($1::float8 / 1000)', [at]);
    },
    async close() {
      await db.close();
      await own.close();
    },
  };
}
