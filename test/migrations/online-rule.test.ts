import { describe, expect, test } from '@jest/globals';
import { MIGRATIONS_DIR } from '@tidings/database/files';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PARTITIONED_TABLES, findFaults } from './online-rule.ts';
import { replacementFaults } from './replaced-indexes.ts';
import { parseStatements, tableOf } from './statements.ts';

/** The baseline: new installations start with it, existing ones only record it. */
const BASE = 77;
const textOf = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
const { version: present } = JSON.parse(textOf('package.json')) as { readonly version: string };
/** Without the version in development: pods of the previous version do not know it. */
const released = [...textOf('CHANGELOG.md').matchAll(/^## (\d+\.\d+\.\d+)\b/gm)]
  .map(([, version = '']) => version)
  .filter((version) => version !== present);
const migrations = readdirSync(MIGRATIONS_DIR)
  .filter((file) => file.endsWith('.sql'))
  .map((file) => ({
    file,
    number: Number.parseInt(file, 10),
    sql: readFileSync(join(MIGRATIONS_DIR, file), 'utf8'),
  }));

test('every migration may run while the previous version works', async () => {
  const faults = await Promise.all(
    migrations
      .filter(({ number }) => number > BASE)
      .map(async ({ file, sql }) => ({ file, faults: await findFaults(sql, released) })),
  );

  expect(migrations.map(({ number }) => number)).toContain(BASE);
  expect(faults.filter((of) => of.faults.length > 0)).toEqual([]);
});

test('migrations are numbered without a gap, each number once', () => {
  const numbers = migrations.map(({ number }) => number).sort((a, b) => a - b);

  expect(numbers).toEqual(Array.from(numbers, (_, index) => index + BASE));
});

test('no plan needs an index that was replaced', async () => {
  expect(await replacementFaults(migrations)).toEqual([]);
});

test('the rule knows the tables in partitions', async () => {
  const statements = await parseStatements(migrations.map(({ sql }) => sql).join('\n'));
  const partitioned = statements.filter(
    ({ kind, fields }) => kind === 'CreateStmt' && fields['partspec'] !== undefined,
  );

  expect(partitioned.map(({ fields }) => tableOf(fields)).toSorted()).toEqual(PARTITIONED_TABLES);
});

const WAIT = "set local lock_timeout = '5s';";
const ALONE = '-- No transaction\n';
const EACH = '-- For each partition\n';
const UNUSED = '-- Unused since 1.0.0\n';
const KEPT = '-- Kept since 1.0.0\n';
const REPLACED = '-- Replaced by a_by_c\n';
const TRIGGER = 'trigger t before insert on a for each row execute function f();';
const COUNTER =
  'create function f() returns trigger language plpgsql as $$ begin insert into n select b, count(*) from added group by b on conflict (b) do update set c = n.c + excluded.c; return null; end $$;';
const COUNTS =
  'trigger t after insert on a referencing new table as added for each statement execute function f();';
const FUNCTION = "function f(n int) returns int language sql as 'select 1';";

describe('the rule allows', () => {
  test.each([
    '-- Nothing to do.\n',
    'create table a (id uuid primary key); create index a_by_id on a (id); alter table a add constraint c check (id is not null); insert into a select gen_random_uuid();',
    `create table a (id int); create ${TRIGGER}`,
    'create table a (id int) partition by list (id); create table b partition of a for values in (1); insert into a select 1;',
    'create table a (id int primary key, parent int references a);',
    `create ${FUNCTION} create or replace ${FUNCTION}`,
    'create view v as select * from a; create or replace view v as select * from b;',
    "create sequence s owned by a.b; create statistics t on b, c from a; comment on table a is 'x';",
    "create type e as enum ('x'); alter type f add value if not exists 'y';",
  ])('new objects: %s', (sql) => expectFaults(sql, []));

  test.each([
    `${ALONE}create index concurrently if not exists a_by_b on a (b) where b is not null;`,
    `${KEPT}${ALONE}create unique index concurrently if not exists a_by_b on a (b);`,
    `${ALONE}${EACH}create index concurrently if not exists events_by_b on events (b) include (c) where b is not null;`,
    `${UNUSED}${ALONE}drop index concurrently if exists a_by_b;`,
    `${REPLACED}${ALONE}drop index concurrently if exists a_by_b;`,
  ])('concurrent creation or removal of an index: %s', (sql) => expectFaults(sql, []));

  test.each([
    "add column b text, add column c int default 0, add column d text not null default 'x', add column e jsonb default '{}'::jsonb",
    "add column b timestamptz not null default now(), add column c timestamptz default current_timestamp, add column d text[] not null default array['a', 'b']",
    'add column b text collate "C" default null',
    'alter column b drop not null',
    'alter column b set default 1, alter column c set default gen_random_uuid()',
    'alter column b set statistics 1000, set (fillfactor = 50)',
    'validate constraint c',
  ])('existing table: alter table a %s', (alteration) =>
    expectFaults(`${WAIT} alter table a ${alteration};`, []),
  );

  test.each(['500ms', '5000ms', '1s', '5s'])('a lock timeout of %s', (wait) =>
    expectFaults(`set local lock_timeout = '${wait}'; alter table a add column b text;`, []),
  );

  test.each([
    `${WAIT} alter table a add column b text; alter table a add column c text; alter table a alter column b set default 'x';`,
    `${WAIT} create table n (a int references a (id)); create index n_by_a on n (a);`,
    `${WAIT} create table n (a int); insert into n select id from a; alter table b add column c int;`,
    `${WAIT} create table n (a int); alter table n add constraint c foreign key (a) references a (id);`,
    `${WAIT} create table p partition of a for values in (1);`,
    `${WAIT} create table n () inherits (a);`,
    `${WAIT} create table n (b int primary key, c int); ${COUNTER} alter table a add column d boolean not null default false; alter table a alter column d set default true; create ${COUNTS}`,
  ])('short locks: %s', (sql) => expectFaults(sql, []));

  test.each([
    `${UNUSED}${WAIT} alter table a drop column b, drop constraint if exists c, alter column d drop default;`,
    `${UNUSED}${WAIT} drop table a; drop index b; drop function f();`,
    `${KEPT}${WAIT} alter table a add constraint c check (b > 0) not valid, add constraint d not null b not valid;`,
    `${KEPT}${WAIT} create or replace ${TRIGGER}`,
    `${KEPT}create or replace ${FUNCTION}`,
    `${UNUSED}create or replace ${FUNCTION}`,
  ])('a change that a released version supports: %s', (sql) => expectFaults(sql, []));
});

describe('for a table of few rows the rule', () => {
  const SMALL = '-- Small a: a row for each process.\n';

  test('allows that it becomes unlogged', () =>
    expectFaults(`${SMALL}${WAIT} alter table a set unlogged;`, []));

  test.each([
    [`${WAIT} alter table a set unlogged;`, ['AT_SetUnLogged']],
    [`-- Small a:\n${WAIT} alter table a set unlogged;`, ['AT_SetUnLogged']],
    [`${SMALL}${WAIT} alter table b set unlogged;`, ['AT_SetUnLogged']],
    [`${SMALL}alter table a set unlogged;`, ['lock_timeout']],
    [`${SMALL}${WAIT} alter table a alter column b type bigint;`, ['AT_AlterColumnType']],
    [`${SMALL}${WAIT} alter table a set unlogged, drop column b;`, ['AT_DropColumn']],
  ])('refuses %s', expectFaults);
});

describe('for triggers between the tables of two versions the rule', () => {
  const BRIDGES = '-- Bridges a: test/migrations/online-rule.test.ts\n';

  test('allows those of the named table, with a test that exists', () =>
    expectFaults(`${BRIDGES}${WAIT} create ${TRIGGER}`, []));

  test.each([
    [`-- Bridges a: test/migrations/no-such.test.ts\n${WAIT} create ${TRIGGER}`, ['Bridges']],
    [`-- Bridges a: test/migrations/online-rule.ts\n${WAIT} create ${TRIGGER}`, ['Bridges']],
    [`-- Bridges b: test/migrations/online-rule.test.ts\n${WAIT} create ${TRIGGER}`, ['Bridges']],
    [`${WAIT} create ${TRIGGER} ${BRIDGES}`, ['Bridges']],
    [`${BRIDGES}create ${TRIGGER}`, ['lock_timeout']],
    [`${BRIDGES}${WAIT} alter table a drop column b;`, ['AT_DropColumn']],
  ])('refuses %s', expectFaults);
});

describe('for a key that becomes wider the rule', () => {
  const IMPLIED = '-- Implied by a_pkey: it has all columns of that.\n';
  const WIDENS = '-- Widens a_pkey: no version names its columns.\n';
  const SWAP = 'drop constraint a_pkey, add constraint a_pkey primary key using index a_by_b';

  test.each([
    `${IMPLIED}${ALONE}create unique index concurrently if not exists a_by_b on a (id, b);`,
    `${WIDENS}${WAIT} alter table a ${SWAP};`,
  ])('allows %s', (sql) => expectFaults(sql, []));

  test.each([
    [`${WAIT} alter table a ${SWAP};`, ['AT_DropConstraint']],
    [`${WIDENS}alter table a ${SWAP};`, ['lock_timeout']],
    [`${WIDENS}${WAIT} alter table a drop constraint a_pkey;`, ['AT_DropConstraint']],
    [
      `${WIDENS}${WAIT} alter table a drop constraint a_pkey cascade, add constraint a_pkey primary key using index a_by_b;`,
      ['cascade'],
    ],
    [
      `${WIDENS}${WAIT} alter table a drop constraint other, add constraint a_pkey primary key using index a_by_b;`,
      ['AT_DropConstraint'],
    ],
    [
      `${WIDENS}${WAIT} alter table a drop constraint a_pkey, add constraint a_pkey primary key (id, b);`,
      ['AT_DropConstraint'],
    ],
    [
      `${WIDENS}${ALONE}create unique index concurrently if not exists a_by_b on a (id, b);`,
      ['unique'],
    ],
  ])('refuses %s', expectFaults);
});

describe('the rule rejects', () => {
  test.each([
    ['drop table a;', 'Unused since'],
    ['-- Unused since 2.0.0\ndrop table a;', 'Unused since'],
    ['-- Unused since \ndrop index a;', 'Unused since'],
    [`${KEPT}${WAIT} drop table a;`, 'Unused since'],
    [`${KEPT}${WAIT} alter table a drop column b;`, 'Unused since'],
    [`${UNUSED}${WAIT} drop table a cascade;`, 'instead of cascade'],
    [`${UNUSED}${WAIT} alter table a drop column b cascade;`, 'instead of cascade'],
    [`${ALONE}drop index concurrently if exists a_by_b;`, 'Unused since'],
    ['create table if not exists a (b int);', 'without if not exists'],
    [`create or replace ${FUNCTION}`, 'Kept since'],
    [
      `create function f(n bigint) returns int language sql as 'select 1'; create or replace ${FUNCTION}`,
      'Kept since',
    ],
    [`-- Kept since 2.0.0\ncreate or replace ${FUNCTION}`, 'Kept since'],
    ['create or replace view v as select 1;', 'Kept since'],
    [`${WAIT} create ${TRIGGER}`, 'Kept since'],
    [
      `${WAIT} create table n (b int); ${COUNTER.replace('into n', 'into a')} create ${COUNTS}`,
      'only insert into',
    ],
    [
      `${WAIT} create table n (b int); ${COUNTER.replace('return null;', 'delete from a; return null;')} create ${COUNTS}`,
      'only insert into',
    ],
    [
      `${WAIT} create table n (b int); ${COUNTER.replace('insert', 'with gone as (delete from a returning b) insert')} create ${COUNTS}`,
      'only insert into',
    ],
    [
      `${WAIT} create table n (b int); ${COUNTER} create ${COUNTS.replace('for each statement', 'for each row').replace('referencing new table as added ', '')}`,
      'only insert into',
    ],
    [
      `${WAIT} create table n (b int); ${COUNTER} create ${COUNTS.replace('after', 'before').replace('referencing new table as added ', '')}`,
      'only insert into',
    ],
    [`${WAIT} create table n (b int); create ${COUNTS}`, 'only insert into'],
    ["alter type e rename value 'x' to 'y';", 'add a value'],
    ['update a set b = 1;', 'UpdateStmt'],
    ['insert into a values (1);', 'only a table that the file makes'],
    [
      'create table n (b int); with gone as (delete from a returning b) insert into n select b from gone;',
      'only a table that the file makes',
    ],
    [
      'create table n (b int); insert into n select b from a for update;',
      'only a table that the file makes',
    ],
    ['create table s.a (b int); insert into a values (1);', 'only a table that the file makes'],
    ['insert into a values (1); create table a (b int);', 'only a table that the file makes'],
    ['do $$ begin execute 1; end $$;', 'DoStmt'],
    [`${WAIT} alter table a rename column b to c;`, 'RenameStmt'],
    ['create materialized view v as select * from a;', 'CreateTableAsStmt'],
    [`${WAIT} alter type c add attribute d int;`, 'a view or a type'],
    [
      `${WAIT} create table n (b int); alter table n attach partition a for values in (1);`,
      'AT_AttachPartition',
    ],
    [`${WAIT} create table n (b int); alter table n inherit a;`, 'AT_AddInherit'],
  ])('a change of existing objects: %s', (sql, why) => expectFaults(sql, [why]));

  test('existing objects, created again with if not exists', () =>
    expectFaults(
      'create table if not exists a (b int); alter table a drop column c; insert into a values (1);',
      ['without if not exists', 'AT_DropColumn', 'only a table that the file makes'],
    ));

  test.each([
    ['drop column b', 'AT_DropColumn'],
    ['drop constraint c', 'AT_DropConstraint'],
    ['alter column b type bigint', 'AT_AlterColumnType'],
    ['alter column b set not null', 'AT_SetNotNull'],
    ['alter column b drop default', 'AT_ColumnDefault'],
    ['alter column b set default null::text', 'AT_ColumnDefault'],
    ['add column b text not null', 'AT_AddColumn'],
    ['add column b text not null default null', 'AT_AddColumn'],
    ['add column b text not null default null::text', 'AT_AddColumn'],
    ['add column b timestamptz default clock_timestamp()', 'AT_AddColumn'],
    ['add column b text default gen_random_uuid()::text', 'AT_AddColumn'],
    ['add column b text[] default array[gen_random_uuid()::text]', 'AT_AddColumn'],
    ['add column b timestamptz default s.now()', 'AT_AddColumn'],
    ['add column b smallserial', 'AT_AddColumn'],
    ['add column b serial', 'AT_AddColumn'],
    ['add column b bigserial', 'AT_AddColumn'],
    ['add column b serial8', 'AT_AddColumn'],
    ['add column b int generated always as identity', 'AT_AddColumn'],
    ['add column b int generated always as (c + 1) stored', 'AT_AddColumn'],
    ['add column b uuid references c (id)', 'AT_AddColumn'],
    ['add column b int unique', 'AT_AddColumn'],
    ['add column b int check (b > 0)', 'AT_AddColumn'],
    ['add constraint c check (b > 0)', 'AT_AddConstraint: reading'],
    ['add constraint c check (b is not null) not valid', 'AT_AddConstraint: the version before'],
    [
      'add column b int, add constraint c check (b is not null) not valid',
      'AT_AddConstraint: the version before',
    ],
    [
      'add constraint c foreign key (b) references d (id) not valid',
      'AT_AddConstraint: the version before',
    ],
    ['attach partition b for values in (1)', 'AT_AttachPartition'],
    ['disable trigger all', 'AT_DisableTrigAll'],
    ['add column c int, validate constraint c', 'AT_ValidateConstraint'],
  ])('existing table: alter table a %s', (alteration, why) =>
    expectFaults(`${WAIT} alter table a ${alteration};`, [why]),
  );

  test.each([
    [`${KEPT}${WAIT} alter table a add constraint c check (b > 0);`, ['not valid']],
    [
      `${KEPT}${WAIT} alter table a add constraint c check (b > 0) not valid; alter table a validate constraint c;`,
      ['AT_ValidateConstraint'],
    ],
    [
      `${KEPT}${WAIT} alter table a add constraint c check (b > 0) not valid, validate constraint c;`,
      ['AT_ValidateConstraint'],
    ],
    [
      `${WAIT} alter table a validate constraint c; create table n (b int);`,
      ['AT_ValidateConstraint'],
    ],
    ['alter table a validate constraint c;', ['AT_ValidateConstraint']],
    [
      `${WAIT} alter table a add column b text; create table n (b int); insert into n select 1;`,
      ['until the file ends'],
    ],
    [
      `${WAIT} create table n (b int); insert into n select id from a; alter table a add column c int; create index n_by_b on n (b);`,
      ['until the file ends'],
    ],
    [
      `${WAIT} create table n (b int references a (id)); insert into n select id from a;`,
      ['until the file ends'],
    ],
    [
      `${WAIT} create table n (b int); insert into n select id from a; alter table n add foreign key (b) references a (id);`,
      ['until the file ends'],
    ],
    [
      `${WAIT} create table p partition of a for values in (1); insert into p values (1);`,
      ['only a table that the file makes'],
    ],
    [
      `${UNUSED}${WAIT} create table n (b int); drop index a_by_b; insert into n select id from a;`,
      ['until the file ends'],
    ],
  ])('long work under a lock: %s', expectFaults);

  test.each([
    ['alter table a add column b text;', ['lock_timeout']],
    [`alter table a add column b text; ${WAIT}`, ['lock_timeout', 'only lock_timeout']],
    [
      "set lock_timeout = '5s'; alter table a add column b text;",
      ['only lock_timeout', 'lock_timeout'],
    ],
    [
      "set local lock_timeout = '50s'; alter table a add column b text;",
      ['only lock_timeout', 'lock_timeout'],
    ],
    [
      "set local lock_timeout = '5001ms'; alter table a add column b text;",
      ['only lock_timeout', 'lock_timeout'],
    ],
    [
      "set local lock_timeout = '0s'; alter table a add column b text;",
      ['only lock_timeout', 'lock_timeout'],
    ],
    ["set local statement_timeout = '5s'; create table a (b int);", ['only lock_timeout']],
    [`${UNUSED}drop table a;`, ['lock_timeout']],
    [`${UNUSED}drop index a_by_b;`, ['lock_timeout']],
    [`${KEPT}create ${TRIGGER}`, ['lock_timeout']],
    ['create table n (a int references a (id));', ['lock_timeout']],
    ['create table n (a int, foreign key (a) references a (id));', ['lock_timeout']],
    ['create table p partition of a for values in (1);', ['lock_timeout']],
    ['create table n () inherits (a);', ['lock_timeout']],
    [
      'create table n (a int); alter table n add foreign key (a) references a (id);',
      ['lock_timeout'],
    ],
  ])('long waits for a lock: %s', expectFaults);

  test.each([
    ['create index a_by_b on a (b);', 'concurrently'],
    ['create index concurrently if not exists a_by_b on a (b);', 'alone in its file'],
    [`${ALONE}create index concurrently a_by_b on a (b);`, 'spelling'],
    [`${ALONE}CREATE INDEX CONCURRENTLY IF NOT EXISTS a_by_b ON a (b);`, 'spelling'],
    [`${ALONE}  create index concurrently if not exists a_by_b on a (b);`, 'spelling'],
    [`${ALONE}create index concurrently\n  if not exists a_by_b on a (b);`, 'spelling'],
    [`${ALONE}create index concurrently if not exists "a by b" on a (b);`, 'spelling'],
    [`${ALONE}create index concurrently if not exists A_by_b on a (b);`, 'spelling'],
    [
      `${ALONE}create index concurrently if not exists a_by_b on a (b); create table d (id int);`,
      'concurrently',
    ],
    [`${ALONE}create unique index concurrently if not exists a_by_b on a (b);`, 'unique'],
    [
      `${ALONE}create index concurrently if not exists events_by_b on events (b);`,
      'For each partition',
    ],
    [
      `${ALONE}${EACH}create index concurrently if not exists a_by_b on a (b);`,
      'For each partition',
    ],
    [
      `${ALONE}${EACH}create unique index concurrently if not exists events_by_b on events (b);`,
      'partition key',
    ],
    [
      `${EACH}create index concurrently if not exists events_by_b on events (b);`,
      'alone in its file',
    ],
    [`${EACH}create table a (b int);`, 'For each partition'],
    [`${ALONE}create table a (b int);`, 'without a transaction'],
    [`${ALONE}${WAIT} alter table a add column b text;`, 'without a transaction'],
    [`${UNUSED}drop index concurrently if exists a_by_b;`, 'alone in its file'],
    [`${UNUSED}${ALONE}drop index concurrently a_by_b;`, 'if exists'],
    [`${REPLACED}${ALONE}drop index concurrently a_by_b;`, 'if exists'],
    [`${REPLACED}${WAIT} drop index a_by_b;`, 'Unused since'],
    [`${ALONE}${REPLACED}drop index concurrently if exists a_by_b;`, 'Replaced by'],
    [
      `${UNUSED}${ALONE}drop index concurrently if exists a_by_b; drop table c;`,
      'alone in its file',
    ],
  ])(
    'an index that keeps others waiting, or is not found when it was left unfinished: %s',
    async (sql, why) => {
      expect((await findFaults(sql, ['1.0.0']))[0]).toContain(why);
    },
  );
});

describe('an index that is replaced', () => {
  const drop = (replacement: string) =>
    `-- Replaced by ${replacement}\n${ALONE}drop index concurrently if exists a_by_b;`;
  const files = (...texts: readonly string[]) =>
    texts.map((sql, index) => ({ number: index + 1, sql }));
  const MADE = 'create table a (b int, c int); create index a_by_b on a (b, c);';
  const madeLater = (columns: string) =>
    `${ALONE}create index concurrently if not exists a_by_d on a (${columns});`;

  test.each(['b', 'b, c', 'b, d, c'])(
    'may go for one on (%s), by which its rows are found',
    async (columns) => {
      expect(await replacementFaults(files(MADE, madeLater(columns), drop('a_by_d')))).toEqual([]);
    },
  );

  test.each([
    ['begins with another column', files(MADE, madeLater('c, b'), drop('a_by_d'))],
    [
      'has not all rows',
      files(
        MADE,
        `${ALONE}create index concurrently if not exists a_by_d on a (b) where c > 0;`,
        drop('a_by_d'),
      ),
    ],
    [
      'is of another table',
      files(
        MADE,
        `${ALONE}create index concurrently if not exists a_by_d on e (b);`,
        drop('a_by_d'),
      ),
    ],
    ['is made later', files(MADE, drop('a_by_d'), madeLater('b'))],
    ['is not there', files(MADE, drop('a_by_x'))],
  ])('stays where the other one %s', async (_why, all) => {
    expect(await replacementFaults(all)).toEqual([expect.stringContaining('a_by_b')]);
  });
});

/** Expects one fault per text, each containing its text. */
async function expectFaults(sql: string, texts: readonly string[]): Promise<void> {
  const faults = await findFaults(sql, ['1.0.0']);

  expect(faults).toEqual(texts.map((text) => expect.stringContaining(text)));
}
