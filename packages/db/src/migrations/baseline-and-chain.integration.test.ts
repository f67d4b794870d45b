import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { Client } from 'pg';
import { MIGRATIONS_DIR, migrateFrom } from '../migrate.ts';
import { grantPublicRole } from '../public-role.ts';
import { digestCatalog, readCatalog } from './testing/catalog.ts';
import { onDatabase, withEmptyDatabase } from './testing/empty-database.ts';

const BASELINE = new URL('../../baseline/53_baseline.sql', import.meta.url);
const SEVERAL_MS = 60_000;
const DIGEST = {
  column: '418 850408431abd7815',
  constraint: '365 1077bdd07d6b17be',
  function: '12 0619491a700351ea',
  index: '128 3991c825d35174fa',
  sequence: '3 d18987f8c427d253',
  table: '248 3e85ee72eea4ff36',
  trigger: '5 4e598cfd375aa58e',
};

/** Of tables and sequences. */
async function rowsOf(client: Client): Promise<unknown[]> {
  const { rows } = await client.query<{ name: string; rows: string }>(
    `select c.relname as name, query_to_xml(format('select * from %I', c.relname), true, true, '')::text as rows
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'S') and c.relname <> 'migrations'
     order by 1`,
  );
  return rows;
}

test(
  'a database made by the baseline equals one made by the chain: catalogs, rights and rows',
  async () => {
    await withEmptyDatabase((byChain) =>
      withEmptyDatabase(async (byBaseline) => {
        await migrateFrom(MIGRATIONS_DIR, byChain);
        await onDatabase(byBaseline, async (client) => {
          await client.query(`begin; ${readFileSync(BASELINE, 'utf8')} commit`);
          // The list of migrations, which the rights name.
          await client.query('create table migrations (id integer)');
        });
        const chain = await readCatalog(byChain);

        expect(digestCatalog(chain)).toMatchObject(DIGEST);
        expect(await readCatalog(byBaseline)).toEqual(chain);

        await onDatabase(byChain, grantPublicRole);
        await onDatabase(byBaseline, grantPublicRole);

        const withRights = await readCatalog(byChain);
        expect(withRights).not.toEqual(chain);
        expect(await readCatalog(byBaseline)).toEqual(withRights);
        const rows = await onDatabase(byChain, rowsOf);
        expect(rows.length).toBeGreaterThan(40);
        expect(await onDatabase(byBaseline, rowsOf)).toEqual(rows);
      }),
    );
  },
  SEVERAL_MS,
);
