import { expect, test } from '@jest/globals';
import { isTest, readSourceFiles } from './source-files.ts';
import { readSqlTexts } from './statement-files.ts';

const LOCK = /pg_(?:try_)?advisory_\w*lock\w*\((?!hashtext|key\b)/;

test('an advisory lock has a name in one list, or a hash of what it locks', () => {
  const code = readSourceFiles()
    .filter((file) => /^(packages|services)\//.test(file.path) && !isTest(file))
    .filter(({ code: text }) => LOCK.test(text))
    .map(({ path }) => path);
  const statements = readSqlTexts()
    .filter(({ sql }) => LOCK.test(sql))
    .map(({ path, name }) => `${path}: ${name}`);

  expect(code.length).toBeGreaterThan(0);
  expect(code.filter((path) => !path.startsWith('packages/postgres/'))).toEqual([]);
  expect(statements).toEqual([]);
});
