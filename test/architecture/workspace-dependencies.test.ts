import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ROOT_DIR,
  isTest,
  packageOf,
  readSourceFiles,
  workspacePackage,
  type SourceFile,
} from './source-files.ts';
import { includedPackages } from './statement-files.ts';

/** Also matches `import()`, `import.meta.resolve` and templates. */
const SPECIFIER = /['"`](@tidings\/[\w-]+)[/'"`]/g;

type Manifest = Readonly<
  Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>> | undefined>
>;

const files = readSourceFiles();
const packages = [...new Set(files.map(({ path }) => packageOf(path)))].toSorted();

function declaredIn(name: string, kind: keyof Manifest): string[] {
  const manifest = JSON.parse(
    readFileSync(join(ROOT_DIR, name, 'package.json'), 'utf8'),
  ) as Manifest;
  return Object.keys(manifest[kind] ?? {})
    .filter((one) => one.startsWith('@tidings/'))
    .toSorted();
}

/** Packages that are for tests and programs only. */
const isForTests = (file: SourceFile): boolean =>
  !['test', 'packages/testing'].includes(packageOf(file.path)) && isTest(file);

function importedBy(name: string, isWanted: (file: SourceFile) => boolean): string[] {
  const specifiers = files
    .filter((file) => packageOf(file.path) === name && isWanted(file))
    .flatMap(({ code }) => [...code.matchAll(SPECIFIER)].map(([, from = '']) => from));
  return [...new Set(specifiers)].filter((from) => workspacePackage(from) !== name).toSorted();
}

/** The dashboard is bundled; its packages are not installed in production. */
const BUNDLED = 'web';

describe('workspace dependencies', () => {
  test.each(packages.filter((name) => name !== BUNDLED))(
    '%s declares what its product code imports, and for development what its tests alone import',
    (name) => {
      const included = includedPackages(name).map((from) => from.replace('packages', '@tidings'));
      const imported = [
        ...new Set([...importedBy(name, (file) => !isForTests(file)), ...included]),
      ].toSorted();
      const importedByTests = importedBy(name, isForTests);

      expect({
        dependencies: declaredIn(name, 'dependencies'),
        devDependencies: declaredIn(name, 'devDependencies'),
      }).toEqual({
        dependencies: imported,
        devDependencies: importedByTests.filter((from) => !imported.includes(from)),
      });
    },
  );

  test(`${BUNDLED} declares for development what it imports`, () => {
    expect(declaredIn(BUNDLED, 'dependencies')).toEqual([]);
    expect(declaredIn(BUNDLED, 'devDependencies')).toEqual(importedBy(BUNDLED, () => true));
  });
});
