import { describe, expect, test } from '@jest/globals';
import { MIGRATIONS_DIR } from '@tidings/database/files';
import { createOwnDatabase } from '@tidings/testing';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { migrate, migrateFrom } from '../migrate.ts';
import { newestMigration } from '../schema-version.ts';
import { CHAIN } from './chain.ts';
import { digestCatalog, readCatalog } from './testing/catalog.ts';
import { onDatabase, withEmptyDatabase, withMigrations } from './testing/empty-database.ts';

const BASELINE_FILE = '53_baseline.sql';
const BASELINE = readFileSync(join(MIGRATIONS_DIR, BASELINE_FILE), 'utf8');
const LATER = {
  [BASELINE_FILE]: BASELINE,
  '54_later.sql': 'create table later (n int);',
};
/**
 * Number and digest of the schema objects of each kind, in a database made by the chain that the
 * baseline replaces.
 */
const CHAIN_DIGEST = {
  column: '418 850408431abd7815',
  constraint: '365 1077bdd07d6b17be',
  function: '12 0619491a700351ea',
  index: '128 3991c825d35174fa',
  sequence: '3 d18987f8c427d253',
  table: '176 fe60d2414ef7dbe3',
  trigger: '5 4e598cfd375aa58e',
};
/** As the runner of earlier releases created it, with a row of number 0. */
const LIST_OF_BEFORE = `CREATE TABLE IF NOT EXISTS migrations (
  id integer PRIMARY KEY,
  name varchar(100) UNIQUE NOT NULL,
  hash varchar(40) NOT NULL, -- sha1 hex encoded hash of the file name and contents, to ensure it hasn't been altered since applying the migration
  executed_at timestamp DEFAULT current_timestamp
);`;

/** A database of an earlier release, whose list ends with a number. */
function makeAsBefore(url: string, last: number): Promise<void> {
  return onDatabase(url, async (client) => {
    await client.query(`begin; ${last === CHAIN.length - 1 ? BASELINE : ''} commit`);
    await client.query(LIST_OF_BEFORE);
    await client.query(
      `insert into migrations (id, name, hash) select n - 1, 'of before ' || n, hash from unnest($1::text[]) with ordinality as t(hash, n)`,
      [CHAIN.slice(0, last + 1)],
    );
  });
}

function readList(url: string): Promise<{ id: number; hash: string }[]> {
  return onDatabase(url, async (client) => {
    const { rows } = await client.query<{ id: number; hash: string }>(
      'select id, hash from migrations order by id',
    );
    return rows;
  });
}

const idsOf = async (url: string) => (await readList(url)).map(({ id }) => id);
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** A rejection with a matching text, after which catalog and list are unchanged. */
async function expectRefusal(url: string, text: RegExp): Promise<void> {
  const before = [await readCatalog(url), await readList(url)];

  await expect(migrate(url)).rejects.toThrow(text);

  expect([await readCatalog(url), await readList(url)]).toEqual(before);
}

test('the baseline is the first file, and replaces the whole chain before it', () => {
  const first = Math.min(...readdirSync(MIGRATIONS_DIR).map((file) => Number.parseInt(file, 10)));

  expect(Number.parseInt(BASELINE_FILE, 10)).toBe(first);
  expect(CHAIN).toHaveLength(first);
});

test('an empty database gets by the baseline what the chain made, and a list that begins with it', async () => {
  await withMigrations({ [BASELINE_FILE]: BASELINE }, async (url, directory) => {
    await migrateFrom(directory, url);

    expect(digestCatalog(await readCatalog(url))).toMatchObject(CHAIN_DIGEST);
    expect(await idsOf(url)).toEqual([53]);
  });
});

test('the list itself is as versions before made it', async () => {
  const columns = (url: string) =>
    onDatabase(url, async (client) => {
      const { rows } = await client.query<object>(
        `select column_name, data_type, character_maximum_length, is_nullable, column_default
         from information_schema.columns where table_name = 'migrations' order by ordinal_position`,
      );
      return rows;
    });
  await withEmptyDatabase((before) =>
    withEmptyDatabase(async (now) => {
      await makeAsBefore(before, 0);
      await migrate(now);

      expect(await columns(now)).toHaveLength(4);
      expect(await columns(now)).toEqual(await columns(before));
    }),
  );
});

test('a database whose migration 1 never succeeded is an empty one', async () => {
  await withEmptyDatabase(async (url) => {
    await makeAsBefore(url, 0);

    await migrate(url);

    expect(await idsOf(url)).toEqual([0, ...numbers(53, newestMigration())]);
  });
});

describe('a database at the end of the chain', () => {
  test('is at the baseline: only its list is updated', async () => {
    await withMigrations({ [BASELINE_FILE]: BASELINE }, async (url, directory) => {
      await makeAsBefore(url, 52);
      const catalog = await readCatalog(url);
      const list = await readList(url);

      await migrateFrom(directory, url);

      expect(await readCatalog(url)).toEqual(catalog);
      const after = await readList(url);
      expect(after.slice(0, -1)).toEqual(list);
      expect(after.at(-1)?.id).toBe(53);
    });
  });

  test('continues with later migrations, in the same run or later', async () => {
    await withMigrations(LATER, async (url, directory) => {
      await makeAsBefore(url, 52);

      await migrateFrom(directory, url);

      expect(await idsOf(url)).toEqual(numbers(0, 54));
      expect((await readCatalog(url)).map(({ name }) => name)).toContain('later.n');
    });
    await withMigrations(LATER, async (url, directory) => {
      await makeAsBefore(url, 52);
      await withMigrations({ [BASELINE_FILE]: BASELINE }, (_, older) => migrateFrom(older, url));

      await migrateFrom(directory, url);

      expect(await idsOf(url)).toEqual(numbers(0, 54));
    });
  });

  test('has the same list as a new one from the baseline on', async () => {
    await withEmptyDatabase(async (url) => {
      await makeAsBefore(url, 52);
      await migrate(url);
      const fresh = await createOwnDatabase();
      try {
        const { rows } = await fresh.sql.query('select id, hash from migrations order by id');

        expect((await readList(url)).filter(({ id }) => id > 52)).toEqual(rows);
      } finally {
        await fresh.close();
      }
    });
  });

  test('is adopted once by concurrent runners', async () => {
    await withMigrations(LATER, async (url, directory) => {
      await makeAsBefore(url, 52);

      await Promise.all(Array.from({ length: 3 }, () => migrateFrom(directory, url)));

      expect(await idsOf(url)).toEqual(numbers(0, 54));
    });
  });

  test('is refused when a checksum differs', async () => {
    await withEmptyDatabase(async (url) => {
      await makeAsBefore(url, 52);
      await onDatabase(url, (client) =>
        client.query("update migrations set hash = repeat('0', 40) where id = 17"),
      );

      await expectRefusal(
        url,
        /^Migration 17 of this database has another hash .* Nothing was changed\.$/,
      );
    });
  });

  test('is refused when its list has a gap', async () => {
    await withEmptyDatabase(async (url) => {
      await makeAsBefore(url, 52);
      await onDatabase(url, (client) => client.query('delete from migrations where id = 30'));

      await expectRefusal(url, /that of no version \(migration 30\)/);
    });
  });
});

describe('a database that stopped earlier', () => {
  test.each([1, 31, 51])(
    'at migration %i is refused with the version to go through',
    async (last) => {
      await withEmptyDatabase(async (url) => {
        await makeAsBefore(url, last);

        await expectRefusal(
          url,
          new RegExp(
            `^This database is at migration ${last}, .*Tidings 0\\.1\\.0 at commit [0-9a-f]{7}.* Nothing was changed\\.$`,
          ),
        );
      });
    },
  );
});

describe('after the baseline', () => {
  test('runners at the same moment make an empty database once', async () => {
    await withMigrations(LATER, async (url, directory) => {
      await Promise.all(Array.from({ length: 3 }, () => migrateFrom(directory, url)));

      expect(await idsOf(url)).toEqual([53, 54]);
    });
  });

  test('a database of a newer release stays unchanged', async () => {
    await withMigrations(LATER, async (url, directory) => {
      await migrateFrom(directory, url);
      const list = await readList(url);

      await withMigrations({ [BASELINE_FILE]: BASELINE }, (_, older) => migrateFrom(older, url));

      expect(await readList(url)).toEqual(list);
    });
  });

  test('a migration that fails leaves nothing, and those before it stay', async () => {
    const failing = { ...LATER, '55_failing.sql': 'create table half (n int); select 1 / 0;' };
    await withMigrations(failing, async (url, directory) => {
      await expect(migrateFrom(directory, url)).rejects.toThrow('Migration 55_failing failed.');

      expect(await idsOf(url)).toEqual([53, 54]);
      expect((await readCatalog(url)).map(({ name }) => name)).not.toContain('half');
    });
  });

  test('a migration that one after it overtook is refused', async () => {
    await withMigrations({ ...LATER, '55_last.sql': 'select 1;' }, async (url, directory) => {
      await migrateFrom(directory, url);
      await onDatabase(url, (client) => client.query('delete from migrations where id = 54'));

      await expect(migrateFrom(directory, url)).rejects.toThrow(/54_later was not applied/);
    });
  });

  test.each([
    ['a gap', { '1_a.sql': 'select 1;', '3_c.sql': 'select 1;' }, /does not follow/],
    ['another name', { 'first.sql': 'select 1;' }, /no name of a migration/],
    ['nothing', {}, /empty/],
  ])('a folder with %s is refused', async (_what, files, text) => {
    await withMigrations(files, async (url, directory) => {
      await expect(migrateFrom(directory, url)).rejects.toThrow(text);
    });
  });
});
