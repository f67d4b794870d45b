import { expect, test } from '@jest/globals';
import { createRecordingLogger, eventually } from '@tidings/testing';
import type { Logger } from '@tidings/platform';
import type { Client } from 'pg';
import { migrateFrom } from '../migrate.ts';
import { onDatabase, withMigrations } from './testing/empty-database.ts';

const TABLES = 'create table first (n int); create table second (n int);';
/** The migration notices the deadlock, and is the one that Postgres ends. */
const PATIENT = `set deadlock_timeout = '1min'`;
const CHANGES = 'alter table first add column added int; alter table second add column added int;';

test('a table that is in use for longer than the lock timeout is changed when it is free', async () => {
  await whileOthersWork(
    `set local lock_timeout = '200ms'; ${CHANGES}`,
    async (others, migrated) => {
      const { logger, lines } = createRecordingLogger();
      await others.query('begin; select from second');
      const done = migrated(logger);
      const waits = new Set<string>();
      await eventually(async () => {
        for (const wait of await waitsFor(others, 'second')) waits.add(wait);
        expect(waits.size).toBeGreaterThan(1);
      });
      await others.query('commit');

      await done;
      expect(lines[0]).toMatchObject({
        level: 'warn',
        msg: 'a migration met a lock',
        migration: '2_changes',
        attempts: 1,
        error: { code: '55P03' },
      });
    },
  );
}, 30_000);

test('a migration that deadlocks with others is tried again', async () => {
  await whileOthersWork(`set local lock_timeout = '1min'; ${CHANGES}`, async (others, migrated) => {
    await others.query(`${PATIENT}; begin; insert into second values (1)`);
    const done = migrated();
    await eventually(async () => expect(await waitsFor(others, 'second')).toHaveLength(1));
    // It waits for the migration, which waits for the row above.
    await others.query('insert into first values (1)');
    await others.query('commit');

    await done;
    const { rows } = await others.query('select first.n from first join second using (n)');
    expect(rows).toEqual([{ n: 1 }]);
  });
}, 30_000);

test('an index that deadlocks with others while it is built is built again', async () => {
  const index =
    '-- No transaction\ncreate index concurrently if not exists first_by_n on first (n);';
  await withMigrations({ '1_tables.sql': TABLES }, async (url, directory) => {
    await migrateFrom(directory, url);
    await withMigrations({ '1_tables.sql': TABLES, '2_index.sql': index }, (_other, files) =>
      onDatabase(url, async (others) => {
        await others.query(`${PATIENT}; begin; insert into first values (1)`);
        const done = migrateFrom(files, url);
        // The build waits for the transaction, which then waits for the build.
        await eventually(async () => expect(await waitingBuilds(others)).toBe(1));
        await others.query('alter table first add column added int');
        const left = await isIndexValid(others);
        await others.query('commit');

        await done;
        expect([left, await isIndexValid(others)]).toEqual([[false], [true]]);
      }),
    );
  });
}, 30_000);

async function isIndexValid(client: Client): Promise<readonly boolean[]> {
  const { rows } = await client.query<{ isValid: boolean }>(
    `select indisvalid as "isValid" from pg_index where indexrelid = to_regclass('first_by_n')`,
  );
  return rows.map(({ isValid }) => isValid);
}

/** Index builds that have locked `first` and wait for a transaction. */
async function waitingBuilds(client: Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(distinct pid)::int as count from pg_locks
     where not granted and locktype in ('virtualxid', 'transactionid') and pid in (
       select l.pid from pg_locks l join pg_database d on d.oid = l.database
       where l.relation = 'first'::regclass and d.datname = current_database())`,
  );
  return rows[0]?.count ?? 0;
}

/** Applies a migration of two tables that `others` use, and expects that both are changed. */
async function whileOthersWork(
  change: string,
  work: (others: Client, migrated: (logger?: Logger) => Promise<void>) => Promise<void>,
): Promise<void> {
  await withMigrations({ '1_tables.sql': TABLES }, async (url, directory) => {
    await migrateFrom(directory, url);
    await withMigrations({ '1_tables.sql': TABLES, '2_changes.sql': change }, (_other, files) =>
      onDatabase(url, async (others) => {
        await work(others, (logger) => migrateFrom(files, url, logger));
        const { rows } = await others.query<{ table: string }>(
          `select attrelid::regclass::text as table from pg_attribute where attname = 'added' order by 1`,
        );
        expect(rows).toEqual([{ table: 'first' }, { table: 'second' }]);
      }),
    );
  });
}

/** The transactions that wait for a lock on a table. */
async function waitsFor(client: Client, table: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ transaction: string }>(
    `select virtualtransaction as transaction from pg_locks
     where not granted and relation = $1::regclass`,
    [table],
  );
  return rows.map(({ transaction }) => transaction);
}
