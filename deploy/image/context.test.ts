import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const ROOT_DIR = resolve(import.meta.dirname, '..', '..');
/** The last line of `.dockerignore` that matches a file or a parent folder decides. */
const LINES = readFileSync(join(ROOT_DIR, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** As Docker reads a line: `*` also matches names that begin with a dot. */
function patternOf(line: string): RegExp {
  const MEANINGS: Readonly<Record<string, string>> = {
    '**/': '(?:.*/)?',
    '*': '[^/]*',
    '.': String.raw`\.`,
  };
  return new RegExp(
    `^${line.replace(/^!/, '').replaceAll(/\*\*\/|\*|\./g, (sign) => MEANINGS[sign] ?? '')}$`,
  );
}

function isSent(path: string): boolean {
  const above = path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
  const deciding = LINES.findLast((line) => above.some((part) => patternOf(line).test(part)));
  return deciding?.startsWith('!') ?? true;
}

test('the build context contains every configuration that a bundler of the image reads, and all that it extends', () => {
  const read = globSync('{packages,services,web}/**/tsconfig*.json', {
    cwd: ROOT_DIR,
    exclude: (path) => path.endsWith('node_modules'),
  });
  const extended = read.flatMap((path) => {
    const found = /"extends":\s*"([^"]+)"/.exec(readFileSync(join(ROOT_DIR, path), 'utf8'))?.[1];
    return found === undefined ? [] : [relative(ROOT_DIR, join(ROOT_DIR, dirname(path), found))];
  });

  expect(extended).toContain('tsconfig.json');
  expect([...read, ...extended].filter((path) => !isSent(path))).toEqual([]);
});

test('the build context contains every project of the lock file, and the sources of the dashboard', () => {
  const [, importers = ''] = readFileSync(join(ROOT_DIR, 'pnpm-lock.yaml'), 'utf8').split(
    /^(?:importers|packages):$/m,
  );
  const manifests = [...importers.matchAll(/^ {2}(\S+):$/gm)].map(([, project = '']) =>
    join(project, 'package.json'),
  );

  expect(manifests).toContain('web/package.json');
  expect(
    [
      ...manifests,
      'docs/README.md',
      'web/index.html',
      'web/src/main.tsx',
      'web/vite.config.mjs',
    ].filter((path) => !isSent(path)),
  ).toEqual([]);
});

test('the build context contains no build output, tests or downloads', () => {
  const kept = [
    '.git/HEAD',
    '.tidings/local.json',
    'README.md',
    'node_modules/pg/package.json',
    'services/gateway/node_modules/pg/package.json',
    'web/dist/index.html',
    'packages/database/src/generated/client.ts',
    'packages/postgres/src/migrations.integration.test.ts',
    'deploy/local/src/main.ts',
    'helm/tidings/values.yaml',
  ];

  expect(kept.filter(isSent)).toEqual([]);
});
