import { asRun, showSqlOf, type ShownBlock } from '@tidings/postgres/statements';
import { readdirSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { ROOT_DIR } from './source-files.ts';

/** A statement, or a part that statements include, of a file in the folder `sql` of code. */
export type SqlText = ShownBlock & {
  readonly path: string;
  /** The folder of the code: `packages/delivery/src`. */
  readonly folder: string;
  /** The SQL that is executed. */
  readonly sql: string;
};

/** The statements and parts of all packages and services, by path. */
export function readSqlTexts(): SqlText[] {
  return ['packages', 'services']
    .flatMap((group) =>
      readdirSync(join(ROOT_DIR, group)).flatMap((name) =>
        foldersBelow(join(ROOT_DIR, group, name, 'src')),
      ),
    )
    .toSorted()
    .flatMap(read);
}

/** The statements of all packages and services, by path. */
export const readStatements = (): SqlText[] => readSqlTexts().filter(({ kind }) => kind === 'name');

function foldersBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name === 'sql')
    .map((entry) => join(entry.parentPath, entry.name));
}

function read(sqlFolder: string): SqlText[] {
  const code = dirname(sqlFolder);
  return showSqlOf(code).map((block) => ({
    ...block,
    path: relative(ROOT_DIR, join(sqlFolder, block.file)),
    folder: relative(ROOT_DIR, code),
    sql: asRun(block.whole),
  }));
}

/** The packages whose parts a package or service includes: `packages/people`. */
export function includedPackages(name: string): string[] {
  const included = readSqlTexts()
    .filter(({ folder }) => folder.startsWith(`${name}/`))
    .flatMap(({ text }) => [...text.matchAll(/-- include: ([\w-]+)\//g)]);
  const packages = new Set(included.map(([, from = '']) => `packages/${from}`));
  packages.delete(name);
  return [...packages].toSorted();
}

/** The code file whose statements a file has: `packages/delivery/src/claims.ts`. */
export const codeOf = ({ folder, file }: SqlText): string =>
  join(folder, `${basename(file, '.sql')}.ts`);
