import { asRun } from '@tidings/postgres/statements';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { ROOT_DIR } from './source-files.ts';

/** An SQL statement in its own file, in the folder `sql` of the code that runs it. */
export type StatementFile = {
  readonly path: string;
  readonly name: string;
  /** The folder of the code: `packages/delivery/src`. */
  readonly folder: string;
  readonly text: string;
  /** The SQL that is executed. */
  readonly sql: string;
};

/** The statements of all packages, by path. */
export function readStatementFiles(): StatementFile[] {
  return readdirSync(join(ROOT_DIR, 'packages'))
    .flatMap((name) => filesBelow(join(ROOT_DIR, 'packages', name, 'src')))
    .filter((path) => path.endsWith('.sql') && basename(dirname(path)) === 'sql')
    .toSorted()
    .map(read);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) =>
    join(folder, path),
  );
}

function read(path: string): StatementFile {
  const text = readFileSync(path, 'utf8');
  return {
    path: relative(ROOT_DIR, path),
    name: basename(path, '.sql'),
    folder: relative(ROOT_DIR, dirname(dirname(path))),
    text,
    sql: asRun(text),
  };
}
