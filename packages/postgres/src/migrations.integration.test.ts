import { afterAll, describe, expect, test } from '@jest/globals';
import { MIGRATIONS_DIR } from '@tidings/database/files';
import { connectTestDatabase } from '@tidings/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate, migrateFrom } from './migrate.ts';
import { newestMigration } from './schema-version.ts';
import {
  onDatabase,
  withEmptyDatabase,
  withMigrations,
} from './migrations/testing/empty-database.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

/** All tables except the list of migrations and partitions. */
const IS_OURS =
  "table_name <> 'migrations' and not exists (select 1 from pg_class where relname = table_name and relispartition)";

const COLUMN_TYPES: Readonly<Record<string, string>> = {
  String: 'text',
  'String[]': '_text',
  'String @db.Uuid': 'uuid',
  'String[] @db.Uuid': '_uuid',
  Int: 'int4',
  'Int[]': '_int4',
  'Int @db.SmallInt': 'int2',
  BigInt: 'int8',
  Float: 'float8',
  Decimal: 'numeric',
  Boolean: 'bool',
  Json: 'jsonb',
  Bytes: 'bytea',
  'DateTime @db.Date': 'date',
  'DateTime @db.Timestamptz(6)': 'timestamptz',
};

type Column = { readonly type: string; readonly isNullable: boolean; readonly hasDefault: boolean };
type Table = {
  readonly columns: Readonly<Record<string, Column>>;
  readonly keys: readonly string[];
};

/** Each table in prisma/schema.prisma. */
function tablesOfSchema(): Record<string, Table> {
  const schema = readFileSync(join(MIGRATIONS_DIR, '..', 'prisma', 'schema.prisma'), 'utf8');
  return Object.fromEntries(
    [...schema.matchAll(/^model \w+ \{\n([\s\S]*?)^\}/gm)].map(([, body = '']) =>
      tableOfModel(body),
    ),
  );
}

function tableOfModel(body: string): [string, Table] {
  const lines = body.split('\n').map((line) => line.trim());
  const columnNames = new Map<string, string>();
  const columns: Record<string, Column> = {};
  const keys: string[] = [];
  for (const line of lines) {
    const [, name = '', type = '', optional, attributes = ''] =
      /^(\w+) (\w+(?:\[\])?)(\?)?(.*)$/.exec(line) ?? [];
    if (name === '') continue;
    const column = /@map\("(\w+)"\)/.exec(attributes)?.[1] ?? name;
    const native = /@db\.\w+(?:\(\d+\))?/.exec(attributes)?.[0];
    columnNames.set(name, column);
    columns[column] = {
      type: COLUMN_TYPES[native === undefined ? type : `${type} ${native}`] ?? `unknown: ${line}`,
      isNullable: optional !== undefined,
      hasDefault: attributes.includes('@default('),
    };
    if (/@id\b/.test(attributes)) keys.push(`primary key (${column})`);
    if (/@unique\b/.test(attributes)) keys.push(`unique (${column})`);
  }
  for (const [, kind = '', fields = ''] of body.matchAll(/@@(id|unique)\(\[([^\]]*)\]\)/g)) {
    const names = fields
      .split(',')
      .map((field) => columnNames.get(field.trim()) ?? `unknown: ${field}`);
    keys.push(`${kind === 'id' ? 'primary key' : 'unique'} (${names.join(', ')})`);
  }
  const table = /@@map\("(\w+)"\)/.exec(body)?.[1] ?? 'unmapped';
  return [table, { columns, keys: keys.sort() }];
}

/** Each table in the migrated database. */
async function tablesOfDatabase(): Promise<Record<string, Table>> {
  const { rows: columns } = await db.sql.query<{ table: string; column: string } & Column>(
    `select table_name as table, column_name as column, udt_name as type, is_nullable = 'YES' as "isNullable",
            column_default is not null or is_identity = 'YES' as "hasDefault"
     from information_schema.columns where table_schema = 'public' and ${IS_OURS}`,
  );
  const { rows: keys } = await db.sql.query<{ table: string; key: string }>(
    `select c.table_name as table,
            lower(c.constraint_type) || ' (' || string_agg(u.column_name, ', ' order by u.ordinal_position) || ')' as key
     from information_schema.table_constraints c
     join information_schema.key_column_usage u using (constraint_schema, constraint_name, table_name)
     where c.table_schema = 'public' and c.constraint_type in ('PRIMARY KEY', 'UNIQUE') and ${IS_OURS}
     group by c.table_name, c.constraint_name, c.constraint_type`,
  );
  return Object.fromEntries(
    Object.entries(Object.groupBy(columns, ({ table }) => table)).map(([table, own = []]) => [
      table,
      {
        columns: Object.fromEntries(
          own.map(({ column, type, isNullable, hasDefault }) => [
            column,
            { type, isNullable, hasDefault },
          ]),
        ),
        keys: keys
          .filter((key) => key.table === table)
          .map(({ key }) => key)
          .sort(),
      },
    ]),
  );
}

test('the schema that Prisma reads and the migrated database have the same tables, columns, types and keys', async () => {
  const ofSchema = tablesOfSchema();
  const ofDatabase = await tablesOfDatabase();

  expect(Object.keys(ofSchema).length).toBeGreaterThan(10);
  expect(ofDatabase).toEqual(ofSchema);
});

/** The runners take turns, and each applies or reads every file. */
const MIGRATIONS_TIMEOUT_MS = 30_000;

describe('migrating', () => {
  test(
    'a second time changes nothing',
    async () => {
      await withEmptyDatabase(async (url) => {
        await migrate(url);
        const before = await appliedMigrations(url);

        await migrate(url);

        expect(before.length).toBeGreaterThan(0);
        expect(await appliedMigrations(url)).toEqual(before);
      });
    },
    MIGRATIONS_TIMEOUT_MS,
  );

  test(
    'by five processes at the same time applies every file once',
    async () => {
      await withEmptyDatabase(async (url) => {
        await Promise.all(Array.from({ length: 5 }, () => migrate(url)));

        const applied = await appliedMigrations(url);
        expect(new Set(applied.map(({ name }) => name)).size).toBe(applied.length);
      });
    },
    MIGRATIONS_TIMEOUT_MS,
  );

  test(
    'is refused when a file that was applied has been edited since',
    async () => {
      await withEmptyDatabase(async (url) => {
        await migrate(url);
        await onDatabase(url, (client) =>
          client.query("update migrations set hash = 'of another text' where id = $1", [
            newestMigration(),
          ]),
        );

        await expect(migrate(url)).rejects.toThrow(/hash/i);
      });
    },
    MIGRATIONS_TIMEOUT_MS,
  );

  describe('with an index that is made while others write', () => {
    const FILES = {
      '1_table.sql':
        'create table numbers (n int);\ninsert into numbers select generate_series(1, 1000);',
      '2_index.sql':
        '-- No transaction\ncreate index concurrently if not exists numbers_by_n on numbers (n);',
    };

    test(
      'by five processes at the same time: none waits for one that waits for it',
      async () => {
        await withMigrations(FILES, async (url, directory) => {
          await Promise.all(Array.from({ length: 5 }, () => migrateFrom(directory, url)));

          expect(await isIndexValid(url)).toEqual([true]);
        });
      },
      MIGRATIONS_TIMEOUT_MS,
    );

    test('rebuilds it after an interrupted run', async () => {
      await withMigrations(
        { '1_others.sql': 'create table others (n int);', '2_index.sql': FILES['2_index.sql'] },
        async (url, directory) => {
          await onDatabase(url, async (client) => {
            await client.query('create table numbers as select 1 as n from generate_series(1, 2)');
            await expect(
              client.query('create unique index concurrently numbers_by_n on numbers (n)'),
            ).rejects.toThrow(/unique/);
          });
          const before = await isIndexValid(url);

          await migrateFrom(directory, url);

          expect([before, await isIndexValid(url)]).toEqual([[false], [true]]);
        },
      );
    });
  });
});

function isIndexValid(url: string): Promise<boolean[]> {
  return onDatabase(url, async (client) => {
    const { rows } = await client.query<{ isValid: boolean }>(
      `select i.indisvalid as "isValid" from pg_index i join pg_class c on c.oid = i.indexrelid where c.relname = 'numbers_by_n'`,
    );
    return rows.map(({ isValid }) => isValid);
  });
}

function appliedMigrations(url: string): Promise<{ name: string; hash: string }[]> {
  return onDatabase(
    url,
    async (client) =>
      (
        await client.query<{ name: string; hash: string }>(
          'select name, hash from migrations order by id',
        )
      ).rows,
  );
}
