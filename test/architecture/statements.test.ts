import { describe, expect, test } from '@jest/globals';
import { dirname } from 'node:path';
import { isTest, packageOf, readSourceFiles } from './source-files.ts';
import { codeOf, readSqlTexts } from './statement-files.ts';

/** `postgres` has locks, migrations and statements over any table; `testing` makes databases. */
const WITH_SQL_IN_CODE = ['packages/postgres', 'packages/testing'];
const CHARS_MAX = 100;
/** Statements of conditions, which callers write. */
const COMPILED =
  /^packages\/(segments\/src\/((compile|leaves)\/[\w-]+|members|explain|person-calendar|person-events|stored-people)|(analytics|folds)\/src\/compile\/[\w-]+|automation-schedules\/src\/insert-arrivals|delivery\/src\/insert-snapshot)\.ts$/;

const texts = readSqlTexts();
const statements = texts.filter(({ kind }) => kind === 'name');
const code = readSourceFiles().filter(
  (file) =>
    /^(packages|services)\/[\w-]+\/src\//.test(file.path) &&
    !WITH_SQL_IN_CODE.includes(packageOf(file.path)) &&
    !isTest(file),
);
const folders = [...new Set(statements.map(({ folder }) => folder))];

/** Statements named by the code of a folder. */
function namesIn(folder: string): Set<string> {
  return new Set(
    code
      .filter(({ path }) => dirname(path) === folder)
      .flatMap((file) =>
        [...file.code.matchAll(/\bstatement\(\s*'([^']+)'/g)].map(([, name = '']) => name),
      ),
  );
}

describe('statements', () => {
  test('are in files of packages and services', () => {
    expect(statements.length).toBeGreaterThan(300);
    expect(folders).toContain('services/api/src/queries/overview');
  });

  test.each(folders)('the code of %s names each of its statements, and no other', (folder) => {
    const own = statements.filter((one) => one.folder === folder).map(({ name }) => name);

    expect([...namesIn(folder)].toSorted()).toEqual(own.toSorted());
  });

  test('a file has the statements of the code file of its name', () => {
    const codeByPath = new Map(code.map((file) => [file.path, file.code]));
    const offenders = statements.filter(
      (one) => codeByPath.get(codeOf(one))?.includes(`'${one.name}'`) !== true,
    );

    expect(offenders.map(({ path, name }) => `${path}: ${name}`)).toEqual([]);
  });

  test('no statement name occurs twice', () => {
    const names = statements.map(({ name }) => name);

    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  test('code names a statement by a literal', () => {
    const named = /\bstatement\((?!\s*'[a-z0-9-]+',?\s*\))/;

    expect(code.filter((file) => named.test(file.code)).map(({ path }) => path)).toEqual([]);
  });

  test('the code contains no statement', () => {
    const begins =
      /['"`]\s*(with\s+(recursive\s+)?\w+(\([^)]*\))?\s+as\b|select\s|insert\s+into\s|update\s+\w+\s+(\w+\s+)?set\s|delete\s+from\s)/gi;
    const found = code
      .filter(({ path }) => !COMPILED.test(path))
      .flatMap((file) =>
        [...file.code.matchAll(begins)].map(([text]) => `${file.path}: ${text.trim()}`),
      );

    expect(found).toEqual([]);
  });

  test('code passes only file statements to a query, or commands without a plan', () => {
    const literals = /\.query(?:<[^;]*?>)?\(\s*['"`](\w+)/g;
    const commands = new Set(
      code
        .filter(({ path }) => !COMPILED.test(path))
        .flatMap((file) => [...file.code.matchAll(literals)].map(([, word = '']) => word)),
    );

    expect([...commands].toSorted()).toEqual([
      'analyze',
      'release',
      'rollback',
      'savepoint',
      'set',
      'truncate',
    ]);
  });

  test('a line has at most 100 characters', () => {
    const offenders = texts.flatMap(({ path, text }) =>
      text.split('\n').flatMap((line) => (line.length > CHARS_MAX ? [`${path}: ${line}`] : [])),
    );

    expect(offenders).toEqual([]);
  });

  test('no string of a statement has whitespace that is lost on one line', () => {
    const offenders = texts.filter(({ whole }) =>
      [...whole.replaceAll(/^\s*--.*\n/gm, '').matchAll(/'[^']*'/g)].some(([string]) =>
        /\n|\s\s/.test(string),
      ),
    );

    expect(offenders.map(({ path }) => path)).toEqual([]);
  });

  test('a statement has no semicolon, and no other comment than whole lines', () => {
    const offenders = texts.filter(({ sql }) => sql.includes(';') || sql.includes('--'));

    expect(offenders.map(({ path }) => path)).toEqual([]);
  });

  test('a statement gets a time of its own by its transaction, so that the client waits as long', () => {
    const sets = /statement_timeout/;
    const setting = [
      ...readSourceFiles().filter(({ path, code: text }) => !isTest({ path }) && sets.test(text)),
      ...texts.filter(({ text }) => sets.test(text)),
    ].map(({ path }) => path);

    expect(setting.filter((path) => !path.startsWith('packages/postgres/'))).toEqual([]);
    expect(setting).toContain('packages/postgres/src/run-transaction.ts');
  });
});
