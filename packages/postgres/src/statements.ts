import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bind, resolveIncludes, type PartFinder } from './resolve-includes.ts';
import { readSqlFiles, type SqlBlock } from './sql-files.ts';

/** Returns a statement by name; throws if there is none. */
export type Statements = (name: string) => string;
/** Returns a part by name, with its arguments; throws if there is none. */
export type Parts = (name: string, ...args: readonly string[]) => string;

type Folder = {
  readonly path: string;
  readonly blocks: readonly SqlBlock[];
  readonly findPart: PartFinder;
  /** Statements as they are run, once they were asked for. */
  readonly run: Map<string, string>;
};

const PACKAGES = join(import.meta.dirname, '..', '..');
const folders = new Map<string, Folder>();

/**
 * The SQL statements of a code folder, from the files of its folder `sql`. `claims.sql` has those of
 * `claims.ts`, each below a line `-- name: claim-deliveries`.
 *
 * A rule that several statements share is a part, in any file of the folder:
 *
 *     -- part: claimable(d)
 *     (d.state in ('pending', 'retry_wait') and d.next_at <= now())
 *
 * `-- include: claimable(d)` stands for its text, with the arguments in the place of the parameters.
 * A part of another package is named with it, `people/proves(v, u.id)`, and is in `src/sql` there.
 */
export function statementsIn(code: string): Statements {
  const folder = folderOf(join(code, 'sql'));
  return (name) => {
    const known = folder.run.get(name);
    if (known !== undefined) return known;
    const sql = asRun(wholeOf(folder, findBlock(folder, 'name', name)));
    folder.run.set(name, sql);
    return sql;
  };
}

/** The parts of a code folder, for SQL that is compiled. */
export function partsIn(code: string): Parts {
  const folder = folderOf(join(code, 'sql'));
  return (name, ...args) => {
    const part = findBlock(folder, 'part', name);
    return asRun(resolveIncludes(bind(part, args), folder.findPart));
  };
}

/** A statement or part of a code folder, with what it includes, as it is shown. */
export type ShownBlock = SqlBlock & { readonly whole: string };

/** Everything in the folder `sql` of a code folder, for tests and `npm run statements`. */
export function showSqlOf(code: string): ShownBlock[] {
  const folder = folderOf(join(code, 'sql'));
  return folder.blocks.map((block) => ({ ...block, whole: wholeOf(folder, block) }));
}

/**
 * A statement without comments, in one line: the layout is for readers and would be sent to
 * Postgres on each run.
 */
export function asRun(text: string): string {
  return text
    .replaceAll(/^\s*--.*\n/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function folderOf(path: string): Folder {
  const known = folders.get(path);
  if (known !== undefined) return known;
  const blocks = existsSync(path) ? readSqlFiles(path) : [];
  const findPart: PartFinder = (name) => {
    const [inPackage, partName] = name.includes('/') ? name.split('/') : [undefined, name];
    const own = inPackage === undefined;
    const source = own ? folder : folderOf(join(PACKAGES, inPackage, 'src', 'sql'));
    return { part: findBlock(source, 'part', partName ?? ''), find: source.findPart };
  };
  const folder: Folder = { path, blocks, findPart, run: new Map() };
  folders.set(path, folder);
  return folder;
}

function findBlock({ path, blocks }: Folder, kind: SqlBlock['kind'], name: string): SqlBlock {
  const block = blocks.find((one) => one.kind === kind && one.name === name);
  if (block === undefined)
    throw new Error(`there is no ${kind === 'name' ? 'statement' : 'part'} ${name} in ${path}`);
  return block;
}

const wholeOf = (folder: Folder, block: SqlBlock): string =>
  resolveIncludes(block.text, folder.findPart);
