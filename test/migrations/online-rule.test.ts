import { describe, expect, test } from '@jest/globals';
import { MIGRATIONS_DIR } from '@tidings/db';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { faultsOf } from './online-rule.ts';

/** Every installation there is began with these. */
const BASE = 29;
const released = [...readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8').matchAll(/^## (\d+\.\d+\.\d+)\b/gm)].map(([, version = '']) => version);
const migrations = readdirSync(MIGRATIONS_DIR).filter((file) => file.endsWith('.sql')).map((file) => ({ file, number: Number.parseInt(file, 10), sql: readFileSync(join(MIGRATIONS_DIR, file), 'utf8') }));

test('every migration may run while the version before works', async () => {
  const faults = await Promise.all(migrations.filter(({ number }) => number > BASE).map(async ({ file, sql }) => ({ file, faults: await faultsOf(sql, released) })));

  expect(migrations.length).toBeGreaterThanOrEqual(BASE);
  expect(faults.filter((of) => of.faults.length > 0)).toEqual([]);
});

const WAIT = "set local lock_timeout = '5s';";
const ALONE = '-- postgres-migrations disable-transaction\n';

describe('the rule', () => {
  test.each([
    'create table a (id uuid primary key); create index a_by_id on a (id); alter table a add constraint c check (id is not null); insert into a select gen_random_uuid();',
    `${ALONE}create index concurrently if not exists a_by_b on a (b) where b is not null;`,
    `${WAIT} alter table a add column b text, add column c int default 0, add column d text not null default 'x', add column e jsonb default '{}'::jsonb;`,
    `${WAIT} alter table a add constraint c check (b > 0) not valid;`,
    "create or replace function f() returns int language sql as 'select 1';",
    `-- Unused since 1.0.0\n${WAIT} alter table a drop column b;`,
    '-- Unused since 1.0.0\ndrop table a;',
  ])('allows: %s', async (sql) => {
    expect(await faultsOf(sql, ['1.0.0'])).toEqual([]);
  });

  test.each([
    ['drop table a;', 'Unused since'],
    ['-- Unused since 2.0.0\ndrop table a;', 'Unused since'],
    ['-- Unused since \ndrop index a;', 'Unused since'],
    ['alter table a add column b text;', 'lock_timeout'],
    [`${WAIT} alter table a drop column b;`, 'AT_DropColumn'],
    [`${WAIT} alter table a alter column b type bigint;`, 'AT_AlterColumnType'],
    [`${WAIT} alter table a alter column b set not null;`, 'AT_SetNotNull'],
    [`${WAIT} alter table a add column b text not null;`, 'AT_AddColumn'],
    [`${WAIT} alter table a add column b timestamptz default clock_timestamp();`, 'AT_AddColumn'],
    [`${WAIT} alter table a add column b uuid references c (id);`, 'AT_AddColumn'],
    [`${WAIT} alter table a add column b int unique;`, 'AT_AddColumn'],
    [`${WAIT} alter table a add constraint c check (b > 0);`, 'AT_AddConstraint'],
    ["set lock_timeout = '5s'; alter table a add column b text;", 'lock_timeout'],
    ["set local lock_timeout = '50s'; alter table a add column b text;", 'lock_timeout'],
    [`${WAIT} alter table a rename column b to c;`, 'RenameStmt'],
    ['create index a_by_b on a (b);', 'concurrently'],
    ['create index concurrently if not exists a_by_b on a (b);', 'concurrently'],
    [`${ALONE}create index concurrently a_by_b on a (b);`, 'concurrently'],
    [`${ALONE}create index concurrently if not exists a_by_b on a (b); create table d (id int);`, 'concurrently'],
    [`${ALONE}create unique index concurrently if not exists a_by_b on a (b);`, 'unique'],
    ['update a set b = 1;', 'UpdateStmt'],
    ['do $$ begin execute 1; end $$;', 'DoStmt'],
    ['create trigger t before insert on a for each row execute function f();', 'CreateTrigStmt'],
  ])('refuses: %s', async (sql, why) => {
    expect((await faultsOf(sql, ['1.0.0'])).join()).toContain(why);
  });
});
