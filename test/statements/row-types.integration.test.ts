import { afterAll, describe, expect, test } from '@jest/globals';
import { createOwnDatabase } from '@tidings/testing';
import { readStatements } from '../architecture/statement-files.ts';
import { describeColumns, type Column } from './describe-columns.ts';
import { readTypedQueries } from './typed-queries.ts';

/**
 * Columns that may be null in their table, but not in these statements: a condition excludes it. By
 * statement, separated by spaces.
 */
const NEVER_NULL: Readonly<Record<string, string>> = {
  'find-dead-letter-requests': 'request_id',
  'find-people': 'custom_user_id',
  'find-test-sends': 'test_address',
  'find-users': 'custom_user_id',
  'insert-users': 'custom_user_id',
  'list-rejected-addresses': 'address',
  'list-users': 'custom_user_id registered_at',
  'lock-build': 'after',
  'read-contacts': 'custom_user_id',
  'read-device-proofs': 'proved_user_id',
  'read-devices-as-contacts': 'custom_user_id',
  'read-first-service-user-ids': 'first',
  'read-heard-outcomes': 'user_id',
  'read-next-people': 'custom_user_id',
  'read-marked-chunks': 'pending_action',
  'read-people': 'customUserId',
  'read-people-of-build': 'custom_user_id',
  'read-traceparents': 'traceparent',
  'read-template-users': 'custom_user_id registered_at',
  'read-user': 'registered_at',
  'record-webhook-outcomes': 'reason',
  // Only a discarded dead letter has no value.
  'request-replay': 'value',
  'search-users': 'custom_user_id registered_at',
};

/**
 * Statements that are compiled of a condition, which callers write, or name one of several tables.
 * Locks and migrations have theirs in the code.
 */
const COMPILED =
  /^packages\/(segments\/src\/(members|explain|person-calendar|person-events|stored-people)|analytics\/src\/compile\/[\w-]+|folds\/src\/compile\/fold-given|automation-schedules\/src\/insert-arrivals|delivery\/src\/insert-snapshot|partitioned-log\/src\/retention)\.ts/;
const IN_CODE = /^packages\/postgres\//;

const db = await createOwnDatabase({ poolMax: 1, isKeyed: true });
afterAll(() => db.close());

const statements = new Map(readStatements().map(({ name, sql }) => [name, sql]));
const queries = readTypedQueries();
/** A query may run one of several statements. */
const cases = queries.flatMap(({ place, texts, row, rowType }) =>
  texts.flatMap((text) => {
    if ('unknown' in text) return [];
    const [name, sql] =
      'sql' in text
        ? [place.replace(/:\d+$/, ''), text.sql]
        : [text.statement, String(statements.get(text.statement))];
    return [{ title: `${place} ${'sql' in text ? '' : name}`.trim(), name, sql, row, rowType }];
  }),
);
type Case = (typeof cases)[number];

/** In what a row type differs from the columns of a statement. */
function differences({ name: statement, row }: Case, columns: readonly Column[]): string[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const declared = new Set(row.map(({ name }) => name));
  const neverNull = NEVER_NULL[statement]?.split(' ') ?? [];
  return [
    ...row.flatMap(({ name, kinds, mayBeNull, isOptional }) => {
      const column = byName.get(name);
      if (column === undefined) return isOptional ? [] : [`no column ${name}`];
      const isOther =
        kinds !== null && column.kind !== 'json' && kinds.some((kind) => kind !== column.kind);
      const isNull = column.mayBeNull === true && !neverNull.includes(name);
      return [
        ...(isOther ? [`${name} is ${column.kind}, declared as ${kinds.join(' or ')}`] : []),
        ...(isNull && !mayBeNull ? [`${name} may be null`] : []),
      ];
    }),
    ...columns
      .filter(({ name }) => !declared.has(name))
      .map(({ name }) => `${name} is not declared`),
  ];
}

const columnsOf = (sql: string) => db.transaction((client) => describeColumns(client, sql));

describe('a row type is what its statement gives', () => {
  test.each(cases.map((one) => [one.title, one] as const))('%s', async (_title, one) => {
    expect(differences(one, await columnsOf(one.sql))).toEqual([]);
  });
});

test('an optional field of a row type is given by one of its statements', async () => {
  const given = new Set<string>();
  for (const { sql, rowType } of cases)
    for (const { name } of await columnsOf(sql)) given.add(`${rowType} ${name}`);
  const missing = cases.flatMap(({ title, row, rowType }) =>
    row
      .filter(({ name }) => !given.has(`${rowType} ${name}`))
      .map(({ name }) => `${title} ${name}`),
  );

  expect(missing).toEqual([]);
});

test('of each query the statements are known, and in files', () => {
  const others = queries.filter(
    ({ place, texts }) =>
      !COMPILED.test(place) &&
      !IN_CODE.test(place) &&
      (texts.length === 0 || texts.some((text) => !('statement' in text))),
  );

  expect(others.map(({ place }) => place)).toEqual([]);
  expect(cases.length).toBeGreaterThan(250);
});
