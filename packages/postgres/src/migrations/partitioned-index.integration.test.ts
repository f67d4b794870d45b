import { expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { Client } from 'pg';
import { migrateFrom } from '../migrate.ts';
import { partitionedIndexIn } from './partitioned-index.ts';
import { onDatabase, withMigrations } from './testing/empty-database.ts';

const TABLE = `create table numbers (n int, at int not null) partition by range (at);
  create table numbers_1 partition of numbers for values from (0) to (10);
  create table numbers_2 partition of numbers for values from (10) to (20);
  insert into numbers select 1, n from generate_series(0, 19) n;`;
const INDEX = `-- No transaction
-- For each partition
create index concurrently if not exists numbers_by_n on numbers (n)
include (at) where n is not null;`;
const FILES = { '1_table.sql': TABLE, '2_index.sql': INDEX };

test('an index on a partitioned table is valid, on each partition, and on those made later', async () => {
  await withMigrations(FILES, async (url, directory) => {
    await migrateFrom(directory, url);
    await onDatabase(url, async (client) => {
      await client.query('create table numbers_3 (like numbers)');
      await client.query(
        'alter table numbers attach partition numbers_3 for values from (20) to (30)',
      );
    });

    expect(await readIndexes(url)).toEqual([
      ['numbers', true],
      ['numbers_1', true],
      ['numbers_2', true],
      ['numbers_3', true],
    ]);
  });
}, 30_000);

test('it continues where an interrupted run ended', async () => {
  await withMigrations({ '1_table.sql': TABLE }, async (url, directory) => {
    await migrateFrom(directory, url);
    await onDatabase(url, async (client) => {
      await client.query(
        'create index numbers_by_n on only numbers (n) include (at) where n is not null',
      );
      await client.query(
        'create index numbers_1_by_n on numbers_1 (n) include (at) where n is not null',
      );
      await client.query('alter index numbers_by_n attach partition numbers_1_by_n');
      await expect(
        client.query('create unique index concurrently numbers_2_by_n on numbers_2 (n)'),
      ).rejects.toThrow(/unique/);
    });
    const before = await readIndexes(url);
    expect(before).toEqual([
      ['numbers', false],
      ['numbers_1', true],
      ['numbers_2', false],
    ]);

    await withMigrations(FILES, (_other, files) => migrateFrom(files, url));

    expect(await readIndexes(url)).toEqual(before.map(([table]) => [table, true]));
  });
}, 30_000);

test('others write while it is built', async () => {
  await withMigrations(FILES, async (url, directory) => {
    await withMigrations({ '1_table.sql': TABLE }, (_other, first) => migrateFrom(first, url));
    // Making the index of the table waits for writers, briefly, as every change of a table does.
    await onDatabase(url, (client) =>
      client.query(
        'create index numbers_by_n on only numbers (n) include (at) where n is not null',
      ),
    );
    const writer = new Client({ connectionString: url });
    await writer.connect();
    try {
      // The build waits for this transaction. It began before, and writes on meanwhile.
      await writer.query('begin; insert into numbers values (2, 5)');
      const built = migrateFrom(directory, url);
      await eventually(async () => {
        if (!(await isBuilding(url))) throw new Error('the build has not begun');
      });
      await writer.query('insert into numbers values (3, 5)');
      await onDatabase(url, (client) => client.query('insert into numbers values (4, 15)'));
      await writer.query('commit');
      await built;
    } finally {
      await writer.end();
    }

    expect((await readIndexes(url)).every(([, isValid]) => isValid)).toBe(true);
    expect(await countByIndex(url)).toBe(23);
  });
}, 30_000);

test('another spelling is an error, not another index', () => {
  expect(() =>
    partitionedIndexIn('-- For each partition\ncreate index numbers_by_n on numbers (n);'),
  ).toThrow(/for each partition/);
  expect(partitionedIndexIn('create index numbers_by_n on numbers (n);')).toBeNull();
});

function readIndexes(url: string): Promise<[string, boolean][]> {
  return onDatabase(url, async (client) => {
    const { rows } = await client.query<{ table: string; isValid: boolean }>(
      `select t.relname as table, i.indisvalid as "isValid" from pg_index i
       join pg_class t on t.oid = i.indrelid where t.relname like 'numbers%' order by 1`,
    );
    return rows.map(({ table, isValid }) => [table, isValid]);
  });
}

const isBuilding = (url: string): Promise<boolean> =>
  onDatabase(url, async (client) => {
    const { rows } = await client.query(
      `select 1 from pg_stat_activity where query like 'create index concurrently%' and wait_event_type = 'Lock' and datname = current_database()`,
    );
    return rows.length > 0;
  });

const countByIndex = (url: string): Promise<number> =>
  onDatabase(url, async (client) => {
    await client.query('set enable_seqscan = off');
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::int as count from numbers where n > 0',
    );
    return rows[0]?.count ?? 0;
  });
