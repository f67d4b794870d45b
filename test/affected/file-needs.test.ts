import { expect, test } from '@jest/globals';
import type { SourceFile } from '../architecture/source-files.ts';
import { needsOfFile } from './file-needs.ts';

const FILES = [
  'packages/people/src/users.ts',
  'packages/people/src/sql/insert-user.sql',
  'services/gateway/src/main.ts',
  'docs/guides/push.md',
  'test/stack/helper.ts',
];
const PATHS = {
  files: new Set(FILES),
  folders: new Set([
    'packages',
    'packages/people',
    'packages/people/src',
    'packages/people/src/sql',
    'services',
    'services/gateway',
    'services/gateway/src',
    'docs',
    'docs/guides',
    'test',
    'test/stack',
  ]),
};

function needsOf(path: string, code: string, typesFrom: readonly string[] = []) {
  const file: SourceFile = {
    path,
    text: code,
    code,
    imports: typesFrom.map((from) => ({ from, isTypeOnly: true, names: [] })),
  };
  return [...needsOfFile(file, PATHS)];
}

const IN_PACKAGE = 'packages/people/src/other.ts';
const IN_TEST = 'test/e2e/one.e2e.test.ts';

test.each([
  ['an import', "import { x } from './users.ts';"],
  ['an import for its effect', "import './users.ts';"],
  ['an export of everything', "export * from './users.ts';"],
  ['a dynamic import', "const { x } = await import('./users.ts');"],
  ['a URL', "new URL('./users.ts', import.meta.url)"],
])('a file needs what it names: %s', (_, code) => {
  expect(needsOf(IN_PACKAGE, code)).toEqual(['packages/people/src/users.ts']);
});

test('types do not exist at run time', () => {
  expect(needsOf(IN_PACKAGE, "import type { X } from './users.ts';", ['./users.ts'])).toEqual([]);
});

test.each([
  ['of the root, in parts', "join(ROOT_DIR, 'docs', 'guides', name)", 'docs/guides'],
  ['of the root, in a string', "read('docs/guides/')", 'docs/guides'],
  ['of the root, in a template', 'read(`docs/guides/${name}.md`)', 'docs/guides'],
  ['from the file', "join(import.meta.dirname, '..', '..', 'docs')", 'docs'],
])('a test needs a folder that it names, with its sources: %s', (_, code, folder) => {
  expect(needsOf(IN_TEST, code)).toEqual([`${folder}/*`, `${folder}/**`]);
});

test('product code needs the files of a folder that it names, but not its sources', () => {
  expect(needsOf(IN_PACKAGE, "new URL('../../../docs', import.meta.url)")).toEqual(['docs/*']);
});

test('a file that is named by its path is needed alone', () => {
  expect(needsOf(IN_TEST, "spawn(node, ['services/gateway/src/main.ts'])")).toEqual([
    'services/gateway/src/main.ts',
  ]);
  expect(needsOf(IN_TEST, "join('services', 'gateway', 'src', 'main.ts')")).toEqual([
    'services/gateway/src/main.ts',
  ]);
});

test.each([
  "join(HOME_DIR, 'test')",
  "join(import.meta.dirname, '..', '..')",
  "join(ROOT_DIR, name, 'docs')",
  "import { x } from 'node:fs';",
])('what names no file of the checkout is not needed: %s', (code) => {
  expect(needsOf(IN_TEST, code)).toEqual([]);
});

test('an installation needs the services, which it starts by their names', () => {
  expect(needsOf('tools/stack/start-tidings.ts', '')).toEqual(
    expect.arrayContaining(['services/**', 'helm/tidings/values.yaml']),
  );
});
