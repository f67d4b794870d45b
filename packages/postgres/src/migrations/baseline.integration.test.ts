import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MIGRATIONS_DIR } from '@tidings/database/files';
import { createOwnDatabase, testDatabaseUrl } from '@tidings/testing';
import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { migrate, migrateFrom } from '../migrate.ts';
import { CHAIN } from './chain.ts';
import { digestCatalog, readCatalog } from './testing/catalog.ts';
import { onDatabase, withEmptyDatabase, withMigrations } from './testing/empty-database.ts';

const BASELINE_FILE = '77_baseline.sql';
const BASELINE = readFileSync(join(MIGRATIONS_DIR, BASELINE_FILE), 'utf8');
const LATER = {
  [BASELINE_FILE]: BASELINE,
  '78_later.sql': 'create table later (n int);',
};
/** For what does not depend on what the baseline makes, which takes a second. */
const SHORT = { ...LATER, [BASELINE_FILE]: 'create table first (n int);' };
/**
 * Number and digest of the schema objects of each kind, in a database made by the chain that the
 * baseline replaces.
 */
const CHAIN_DIGEST = {
  column: '544 6f0e83516caf0d4b',
  constraint: '492 f87fbea6da67303b',
  function: '18 c89e9a8bae3e7468',
  index: '157 564cb3a99aaabe40',
  sequence: '4 81ef092d27b99e64',
  table: '223 7422260a51e01264',
  trigger: '10 907567b00acb53be',
};
/** As the runner of earlier releases created it, with a row of number 0. */
const LIST_OF_BEFORE = `CREATE TABLE IF NOT EXISTS migrations (
  id integer PRIMARY KEY,
  name varchar(100) UNIQUE NOT NULL,
  hash varchar(40) NOT NULL, -- sha1 hex encoded hash of the file name and contents, to ensure it hasn't been altered since applying the migration
  executed_at timestamp DEFAULT current_timestamp
);`;

/** A database with what the chain made and no list. Tests copy it: to make it takes seconds. */
const AT_END = `migrations_at_end_${randomUUID().replaceAll('-', '')}`;
const onServer = (statement: string) =>
  onDatabase(testDatabaseUrl(), (client) => client.query(statement));
beforeAll(async () => {
  await onServer(`create database ${AT_END}`);
  const url = Object.assign(new URL(testDatabaseUrl()), { pathname: `/${AT_END}` }).href;
  await onDatabase(url, (client) => client.query(`begin; ${BASELINE} commit`));
}, 60_000);
afterAll(() => onServer(`drop database ${AT_END}`));

/** Writes the list of a database of an earlier checkout: it ends with a number, and begins with one. */
function makeAsBefore(url: string, last: number, first = 0): Promise<void> {
  return onDatabase(url, async (client) => {
    await client.query(LIST_OF_BEFORE);
    await client.query(
      `insert into migrations (id, name, hash)
       select $2 + n - 1, 'of before ' || n, hash from unnest($1::text[]) with ordinality as t(hash, n)`,
      [CHAIN.slice(first, last + 1), first],
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
    expect(await idsOf(url)).toEqual([77]);
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
    withMigrations(SHORT, async (now, directory) => {
      await makeAsBefore(before, 0);
      await migrateFrom(directory, now);

      expect(await columns(now)).toHaveLength(4);
      expect(await columns(now)).toEqual(await columns(before));
    }),
  );
});

test('a database whose migration 1 never succeeded is an empty one', async () => {
  await withMigrations(SHORT, async (url, directory) => {
    await makeAsBefore(url, 0);

    await migrateFrom(directory, url);

    expect(await idsOf(url)).toEqual([0, 77, 78]);
  });
});

describe('a database at the end of the chain', () => {
  test('is at the baseline: only its list is updated', async () => {
    await withMigrations(
      { [BASELINE_FILE]: BASELINE },
      async (url, directory) => {
        await makeAsBefore(url, 76);
        const catalog = await readCatalog(url);
        const list = await readList(url);

        await migrateFrom(directory, url);

        expect(await readCatalog(url)).toEqual(catalog);
        const after = await readList(url);
        expect(after.slice(0, -1)).toEqual(list);
        expect(after.at(-1)?.id).toBe(77);
      },
      AT_END,
    );
  });

  test('may begin with the baseline before', async () => {
    await withMigrations(
      LATER,
      async (url, directory) => {
        await makeAsBefore(url, 76, 53);
        const catalog = await readCatalog(url);
        await withMigrations({ [BASELINE_FILE]: BASELINE }, (_, older) => migrateFrom(older, url));
        expect(await readCatalog(url)).toEqual(catalog);

        await migrateFrom(directory, url);

        expect(await idsOf(url)).toEqual(numbers(53, 78));
      },
      AT_END,
    );
  });

  test('continues with later migrations, in the same run or later', async () => {
    await withMigrations(
      LATER,
      async (url, directory) => {
        await makeAsBefore(url, 76);

        await migrateFrom(directory, url);

        expect(await idsOf(url)).toEqual(numbers(0, 78));
        expect((await readCatalog(url)).map(({ name }) => name)).toContain('later.n');
      },
      AT_END,
    );
    await withMigrations(
      LATER,
      async (url, directory) => {
        await makeAsBefore(url, 76);
        await withMigrations({ [BASELINE_FILE]: BASELINE }, (_, older) => migrateFrom(older, url));

        await migrateFrom(directory, url);

        expect(await idsOf(url)).toEqual(numbers(0, 78));
      },
      AT_END,
    );
  });

  test('has the same list as a new one from the baseline on', async () => {
    await withEmptyDatabase(async (url) => {
      await makeAsBefore(url, 76);
      await migrate(url);
      const fresh = await createOwnDatabase();
      try {
        const { rows } = await fresh.sql.query('select id, hash from migrations order by id');

        expect((await readList(url)).filter(({ id }) => id > 76)).toEqual(rows);
      } finally {
        await fresh.close();
      }
    }, AT_END);
  });

  test('is adopted once by concurrent runners', async () => {
    await withMigrations(
      LATER,
      async (url, directory) => {
        await makeAsBefore(url, 76);

        await Promise.all(Array.from({ length: 3 }, () => migrateFrom(directory, url)));

        expect(await idsOf(url)).toEqual(numbers(0, 78));
      },
      AT_END,
    );
  });

  test('is refused when a checksum differs', async () => {
    await withEmptyDatabase(async (url) => {
      await makeAsBefore(url, 76);
      await onDatabase(url, (client) =>
        client.query("update migrations set hash = repeat('0', 40) where id = 17"),
      );

      await expectRefusal(
        url,
        /^Migration 17 of this database has another hash .* Nothing was changed\.$/,
      );
    }, AT_END);
  });

  test('is refused when its list has a gap', async () => {
    await withEmptyDatabase(async (url) => {
      await makeAsBefore(url, 76);
      await onDatabase(url, (client) => client.query('delete from migrations where id = 30'));

      await expectRefusal(url, /that of no version \(migration 30\)/);
    }, AT_END);
  });
});

describe('a database that stopped earlier', () => {
  test.each([
    [1, 0, 'commit da79209, then with that at commit 90210e9'],
    [51, 0, 'commit da79209, then with that at commit 90210e9'],
    [52, 0, 'commit 90210e9'],
    [75, 0, 'commit 90210e9'],
    [75, 53, 'commit 90210e9'],
  ])(
    'at migration %i, of a list that begins with %i, is refused with the checkouts to go through',
    async (last, first, way) => {
      await withEmptyDatabase(async (url) => {
        await makeAsBefore(url, last, first);

        await expectRefusal(
          url,
          new RegExp(
            `^This database is at migration ${last}, .* Migrate it with the checkout at ${way} first\\. Nothing was changed\\.$`,
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

      expect(await idsOf(url)).toEqual([77, 78]);
    });
  });

  test('a database of a newer release stays unchanged', async () => {
    await withMigrations(SHORT, async (url, directory) => {
      await migrateFrom(directory, url);
      const list = await readList(url);

      await withMigrations({ [BASELINE_FILE]: SHORT[BASELINE_FILE] }, (_, older) =>
        migrateFrom(older, url),
      );

      expect(await readList(url)).toEqual(list);
    });
  });

  test('a migration that fails leaves nothing, and those before it stay', async () => {
    const failing = { ...SHORT, '79_failing.sql': 'create table half (n int); select 1 / 0;' };
    await withMigrations(failing, async (url, directory) => {
      await expect(migrateFrom(directory, url)).rejects.toThrow('Migration 79_failing failed.');

      expect(await idsOf(url)).toEqual([77, 78]);
      expect((await readCatalog(url)).map(({ name }) => name)).not.toContain('half');
    });
  });

  test('a migration that one after it overtook is refused', async () => {
    await withMigrations({ ...SHORT, '79_last.sql': 'select 1;' }, async (url, directory) => {
      await migrateFrom(directory, url);
      await onDatabase(url, (client) => client.query('delete from migrations where id = 78'));

      await expect(migrateFrom(directory, url)).rejects.toThrow(/78_later was not applied/);
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
