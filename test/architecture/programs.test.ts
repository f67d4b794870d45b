import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { loadedBy } from './loaded-by.ts';
import { readSourceFiles, ROOT_DIR } from './source-files.ts';

const { scripts } = JSON.parse(readFileSync(join(ROOT_DIR, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const PROGRAMS = Object.entries(scripts).flatMap(([name, command]) => {
  const path = /deploy\/local\/run\.mjs (\S+\.ts)/.exec(command)?.[1];
  return path === undefined ? [] : [{ name, path }];
});

const files = new Map(readSourceFiles().map((file) => [file.path, file]));

test('jest is loaded by tests alone: a program that loads it does not start', () => {
  const loaded = PROGRAMS.map(({ name, path }) => ({ name, paths: [...loadedBy([path], files)] }));

  expect(loaded.filter(({ paths }) => paths.length > 100).length).toBeGreaterThan(5);
  expect(
    loaded.flatMap(({ name, paths }) =>
      paths
        .filter((path) => files.get(path)?.imports.some(({ from }) => from === '@jest/globals'))
        .map((path) => `npm run ${name} loads ${path}`),
    ),
  ).toEqual([]);
});
