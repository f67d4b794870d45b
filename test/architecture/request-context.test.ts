import { expect, test } from '@jest/globals';
import { isTest, readSourceFiles } from './source-files.ts';

const HOME = 'packages/http/src/request-value.ts';

test('only the request context uses the locals of a response; others declare typed values', () => {
  const users = readSourceFiles()
    .filter((file) => !isTest(file) && file.path !== HOME && /\.locals\b/.test(file.code))
    .map((file) => file.path);

  expect(users).toEqual([]);
});

test('each value of the request context has a unique name', () => {
  const names = readSourceFiles()
    .filter((file) => !isTest(file))
    .flatMap((file) => [...file.text.matchAll(/requestValue<[\s\S]*?>\(\s*'(\w+)'/g)])
    .map(([, name]) => name);

  expect(names).toContain('requestId');
  expect(names.length).toBeGreaterThan(8);
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
});
