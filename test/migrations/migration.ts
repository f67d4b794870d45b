import { countersIn } from './counters.ts';
import { statementsOf, type Fields, type Statement } from './statements.ts';

/** A file, as far as its whole matters to each of its statements. */
export type Migration = {
  readonly sql: string;
  readonly statements: readonly Statement[];
  readonly isInTransaction: boolean;
  /** Its first statement lets each of them wait for a lock for 5 s at most. */
  readonly waitsBriefly: boolean;
  /** A released version, which the first line names, does without what the file takes away. */
  readonly isUnused: boolean;
  /** A released version, which the first line names, gets on with what the file demands or changes. */
  readonly isKept: boolean;
  /** Functions of the file that a trigger may call in what the version before writes: they only add rows to tables of the file. */
  readonly counters: ReadonlySet<string>;
  /** A unique key that stands while the file runs has fewer columns, so its unique index refuses no row. */
  readonly isImplied: boolean;
  /** The key that it replaces by a wider one; every version gets on with either. */
  readonly widenedKey: string | undefined;
  /** The index that does the work of one that the file drops, by the first line; a file before makes it. */
  readonly replacement: string | null;
};

export const NO_TRANSACTION = '-- No transaction';
const MARK = /^-- (Unused|Kept) since (\d+\.\d+\.\d+)\b/;
const KEY_MARK = /^-- (Implied by|Widens) (\w+): \S/;
const REPLACED = /^-- Replaced by (\w+)$/m;
const LOCK_WAIT_MS_MAX = 5000;

/** @param released versions that were released */
export async function readMigration(sql: string, released: readonly string[]): Promise<Migration> {
  const statements = await statementsOf(sql);
  const [, mark, version = ''] = MARK.exec(sql) ?? [];
  const [, keyMark, key] = KEY_MARK.exec(sql) ?? [];
  const [first] = statements;
  return {
    sql,
    statements,
    isInTransaction: !sql.split('\n').includes(NO_TRANSACTION),
    waitsBriefly: first?.kind === 'VariableSetStmt' && isShortLockWait(first.fields),
    isUnused: mark === 'Unused' && released.includes(version),
    isKept: mark === 'Kept' && released.includes(version),
    counters: await countersIn(statements),
    isImplied: keyMark === 'Implied by',
    widenedKey: keyMark === 'Widens' ? key : undefined,
    replacement: REPLACED.exec(sql.split('\n', 1)[0] ?? '')?.[1] ?? null,
  };
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
