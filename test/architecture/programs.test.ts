import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { expect, test } from '@jest/globals';
import { readSourceFiles, ROOT_DIR } from './source-files.ts';

const { scripts } = JSON.parse(readFileSync(join(ROOT_DIR, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const PROGRAMS = Object.entries(scripts).flatMap(([name, command]) => {
  const path = /deploy\/local\/run\.mjs (\S+\.ts)/.exec(command)?.[1];
  return path === undefined ? [] : [{ name, path }];
});

const files = new Map(readSourceFiles().map((file) => [file.path, file]));

/** Paths of the source files that a program loads at its start. */
function loadedBy(program: string): ReadonlySet<string> {
  const loaded = new Set<string>();
  const pending = [program];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (loaded.has(path)) continue;
    loaded.add(path);
    const { resolve } = createRequire(join(ROOT_DIR, path));
    pending.push(
      ...(files.get(path)?.imports ?? [])
        .filter(({ from, isTypeOnly }) => !isTypeOnly && /^(\.|@tidings\/)/.test(from))
        .map(({ from }) => relative(ROOT_DIR, resolve(from))),
    );
  }
  return loaded;
}

test('jest is loaded by tests alone: a program that loads it does not start', () => {
  const loaded = PROGRAMS.map(({ name, path }) => ({ name, paths: [...loadedBy(path)] }));

  expect(loaded.filter(({ paths }) => paths.length > 100).length).toBeGreaterThan(5);
  expect(
    loaded.flatMap(({ name, paths }) =>
      paths
        .filter((path) => files.get(path)?.imports.some(({ from }) => from === '@jest/globals'))
        .map((path) => `npm run ${name} loads ${path}`),
    ),
  ).toEqual([]);
});
