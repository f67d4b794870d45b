import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { countersIn } from './counters.ts';
import { parseStatements, type Fields, type Statement } from './statements.ts';

/** Facts of a whole file that its statements depend on. */
export type Migration = {
  readonly sql: string;
  readonly statements: readonly Statement[];
  readonly isInTransaction: boolean;
  /** Its index is built for each partition of a table, and attached. */
  readonly isForEachPartition: boolean;
  /** Its first statement sets a lock timeout of at most 5 s. */
  readonly waitsBriefly: boolean;
  /** The first line names a released version that no longer uses what the file drops. */
  readonly isUnused: boolean;
  /** The first line names a released version that works with what the file requires or changes. */
  readonly isKept: boolean;
  /**
   * Functions of the file that triggers may call for writes of the previous version; they only
   * insert into tables of the file.
   */
  readonly counters: ReadonlySet<string>;
  /**
   * A unique key with fewer columns exists while the file runs, so its new unique index rejects no
   * row.
   */
  readonly isImplied: boolean;
  /** The key that the file replaces with a wider one; every version works with both. */
  readonly widenedKey: string | undefined;
  /** The table that the file may rewrite, since it has few rows; the first line says why. */
  readonly smallTable: string | undefined;
  /**
   * The index that replaces one that the file drops, named in the first line; an earlier file
   * creates it.
   */
  readonly replacement: string | null;
  /**
   * The table whose triggers keep what the previous version writes and what this one writes equal.
   * The first line names the test that runs both versions.
   */
  readonly bridgedTable: string | undefined;
};

export const NO_TRANSACTION = '-- No transaction';
export const FOR_EACH_PARTITION = '-- For each partition';
const MARK = /^-- (Unused|Kept) since (\d+\.\d+\.\d+)\b/;
const KEY_MARK = /^-- (Implied by|Widens) (\w+): \S/;
const SMALL = /^-- Small (\w+): \S/;
const REPLACED = /^-- Replaced by (\w+)$/m;
const BRIDGES = /^-- Bridges (\w+): (\S+\.test\.ts)\n/;
const ROOT = join(import.meta.dirname, '../..');
const LOCK_WAIT_MS_MAX = 5000;

/** @param released released versions */
export async function readMigration(sql: string, released: readonly string[]): Promise<Migration> {
  const statements = await parseStatements(sql);
  const [, mark, version = ''] = MARK.exec(sql) ?? [];
  const [, keyMark, key] = KEY_MARK.exec(sql) ?? [];
  const [first] = statements;
  return {
    sql,
    statements,
    isInTransaction: !sql.split('\n').includes(NO_TRANSACTION),
    isForEachPartition: sql.split('\n').includes(FOR_EACH_PARTITION),
    waitsBriefly: first?.kind === 'VariableSetStmt' && isShortLockWait(first.fields),
    isUnused: mark === 'Unused' && released.includes(version),
    isKept: mark === 'Kept' && released.includes(version),
    counters: await countersIn(statements),
    isImplied: keyMark === 'Implied by',
    widenedKey: keyMark === 'Widens' ? key : undefined,
    smallTable: SMALL.exec(sql)?.[1],
    bridgedTable: bridgedTableIn(sql),
    replacement: REPLACED.exec(sql.split('\n', 1)[0] ?? '')?.[1] ?? null,
  };
}

function bridgedTableIn(sql: string): string | undefined {
  const [, table, test = ''] = BRIDGES.exec(sql) ?? [];
  return existsSync(join(ROOT, test)) ? table : undefined;
}

function isShortLockWait(fields: Fields): boolean {
  const {
    name,
    is_local: isLocal,
    args,
  } = fields as {
    readonly name?: string;
    readonly is_local?: boolean;
    readonly args?: readonly { readonly A_Const?: { readonly sval?: { readonly sval: string } } }[];
  };
  const [, digits = '0', unit] = /^(\d+)(m?s)$/.exec(args?.[0]?.A_Const?.sval?.sval ?? '') ?? [];
  const waitMs = Number(digits) * (unit === 's' ? 1000 : 1);
  return name === 'lock_timeout' && isLocal === true && waitMs > 0 && waitMs <= LOCK_WAIT_MS_MAX;
}
