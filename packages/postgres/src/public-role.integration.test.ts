import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createOwnDatabase, publicTestDatabaseUrl, testDatabaseUrl } from '@tidings/testing';
import { connectDatabase, type Database } from './database.ts';
import { migrate } from './migrate.ts';
import { grantPublicRole } from './public-role.ts';

const NO_RIGHT = { code: '42501' };

let owner: Database;
let publicDb: Database;
let ownerUrl: string;

beforeAll(async () => {
  owner = await createOwnDatabase();
  const { rows } = await owner.sql.query<{ name: string }>('select current_database() as name');
  const at = (text: string): string =>
    Object.assign(new URL(text), { pathname: rows[0]?.name }).href;
  ownerUrl = at(testDatabaseUrl());
  publicDb = connectDatabase({
    databaseUrl: at(publicTestDatabaseUrl()),
    poolMax: 2,
    applicationName: 'test',
  });
});
afterAll(async () => {
  await publicDb.close();
  await owner.close();
});

/** Tables, without partitions, that the role may read or change. */
async function openTables(): Promise<string[]> {
  const { rows } = await owner.sql.query<{ name: string }>(
    `select c.relname as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition
       and (has_any_column_privilege('tidings_public', c.oid, 'select, insert, update') or has_table_privilege('tidings_public', c.oid, 'delete, truncate, trigger, maintain'))
     order by 1`,
  );
  return rows.map(({ name }) => name);
}

describe('the role of the services that face the internet', () => {
  test('is no owner and no superuser, and makes nothing in the schema', async () => {
    await expect(publicDb.sql.query('create table mine (n int)')).rejects.toMatchObject(NO_RIGHT);
    await expect(publicDb.sql.query('drop table refused_requests')).rejects.toMatchObject(NO_RIGHT);
    const { rows } = await publicDb.sql.query(
      'select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls from pg_roles where rolname = current_user',
    );
    expect(rows).toEqual([
      { rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolbypassrls: false },
    ]);
  });

  test('may read the condition of a segment and what conditions name, and nothing else of them', async () => {
    const read = (columns: string, table: string) =>
      publicDb.sql.query(`select ${columns} from ${table} limit 1`);

    await expect(read('slug, condition', 'segments')).resolves.toBeDefined();
    await expect(read('slug, name', 'definitions')).resolves.toBeDefined();
    await expect(read('name', 'segments')).rejects.toMatchObject(NO_RIGHT);
    await expect(read('updated_by', 'segments')).rejects.toMatchObject(NO_RIGHT);
    await expect(read('origin', 'definitions')).rejects.toMatchObject(NO_RIGHT);
  });

  test('may read no column of the events of people, nor count them', async () => {
    const { rows } = await owner.sql.query(
      `select has_any_column_privilege('tidings_public', c.oid, 'select, insert, update, references') as "mayUse"
       from pg_class c
       where c.oid in (select relid from pg_partition_tree('events')) or c.relname = 'segment_versions'
       group by 1`,
    );

    expect(rows).toEqual([{ mayUse: false }]);
    await expect(publicDb.sql.query('select count(*) from events')).rejects.toMatchObject(NO_RIGHT);
  });

  test.each([
    'members',
    'sessions',
    'admin_tokens',
    'welcome_links',
    'sign_in_failures',
    'audit_entries',
    'events',
    'message_keys',
    'duplicate_keys',
    'receipts',
    'definitions',
    'dead_letters',
    'ingest_requests',
    'event_quarters',
    'segments',
    'segment_versions',
    'funnels',
    'funnel_versions',
    'webhook_deliveries',
  ])('may not read %s', async (table) => {
    await expect(publicDb.sql.query(`select * from ${table} limit 1`)).rejects.toMatchObject(
      NO_RIGHT,
    );
    await expect(owner.sql.query(`select * from ${table} limit 1`)).resolves.toBeDefined();
  });

  test.each([
    [
      'where webhooks go, and what signs them',
      'select id, kinds from webhook_endpoints',
      'select * from webhook_endpoints',
    ],
    [
      'when a key was used, and nothing else of it',
      'update api_keys set last_used_at = now() where false',
      `update api_keys set type = 'server' where false`,
    ],
    [
      'settings of applications',
      'select settings from applications',
      'update applications set settings = settings where false',
    ],
    [
      'secrets of channels',
      'select status from channel_settings',
      `update channel_settings set status = 'ready' where false`,
    ],
    ['campaigns', 'select id from campaigns', 'update campaigns set status = status where false'],
  ])('may do what it needs of %s, and no more', async (_what, allowed, refused) => {
    await expect(publicDb.sql.query(allowed)).resolves.toBeDefined();
    await expect(publicDb.sql.query(refused)).rejects.toMatchObject(NO_RIGHT);
  });

  test('has the rights of the file after each preparation, and no other', async () => {
    const before = await openTables();
    await owner.sql.query('grant select on members, events to tidings_public');
    await owner.sql.query('grant update (type) on api_keys to tidings_public');
    await owner.sql.query('revoke insert on campaigns from tidings_public');

    await migrate(ownerUrl);

    expect(await openTables()).toEqual(before);
    await expect(
      publicDb.sql.query(`update api_keys set type = 'server' where false`),
    ).rejects.toMatchObject(NO_RIGHT);
    const { rows } = await owner.sql.query(
      `select has_table_privilege('tidings_public', 'campaigns', 'insert') as "mayInsert"`,
    );
    expect(rows).toEqual([{ mayInsert: true }]);
  });
});

test('where there is no such role, nothing is granted', async () => {
  const asked: string[] = [];
  const client = {
    query: async (text: string) => {
      asked.push(text);
      return { rows: [] };
    },
  };

  await grantPublicRole(client as never);

  expect(asked).toHaveLength(1);
});
