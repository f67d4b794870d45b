import { parse } from 'libpg-query';

/** Statements of a migration that may not be in it, each as a sentence; empty where all may. */
export type Faults = readonly string[];

type Node = { readonly [kind: string]: Fields };
type Fields = { readonly [field: string]: unknown };
type Column = { readonly constraints?: readonly { readonly Constraint: { readonly contype: string; readonly raw_expr?: Node } }[] };
type Relation = { readonly relname: string };

/** First in a file that takes away what no version needs any more since the one it names. */
const UNUSED_SINCE = /^-- Unused since (\d+\.\d+\.\d+)\b/;
const NO_TRANSACTION = '-- postgres-migrations disable-transaction';
/** These change nothing that a version before could know of. */
const HARMLESS = new Set(['CreateStmt', 'CreateFunctionStmt', 'CommentStmt', 'CreateEnumStmt']);
const HARMLESS_ALTERATIONS = new Set(['AT_SetStatistics', 'AT_SetRelOptions', 'AT_ResetRelOptions', 'AT_ValidateConstraint', 'AT_ColumnDefault']);

/**
 * What would stop or break the pods of the version before, which work while a migration runs: whatever they use is there
 * after it as before, and no statement keeps them from a table for longer than the wait for a lock.
 * @param released versions that were released
 */
export async function faultsOf(sql: string, released: readonly string[]): Promise<Faults> {
  const { stmts = [] } = (await parse(sql)) as { readonly stmts?: readonly { readonly stmt: Node }[] };
  const statements = stmts.flatMap(({ stmt }) => Object.entries(stmt).map(([kind, fields]) => ({ kind, fields })));
  const own = new Set(statements.filter(({ kind }) => kind === 'CreateStmt').map(({ fields }) => tableOf(fields)));
  const mayDrop = released.includes(UNUSED_SINCE.exec(sql)?.[1] ?? '');
  const waitsBriefly = statements[0]?.kind === 'VariableSetStmt' && isShortLockWait(statements[0].fields);

  const faultOf = ({ kind, fields }: (typeof statements)[number], index: number): string | null => {
    if (HARMLESS.has(kind)) return null;
    if (kind === 'VariableSetStmt') return index === 0 && waitsBriefly ? null : 'only lock_timeout is set, first and for the transaction';
    if (own.has(tableOf(fields)) && ['IndexStmt', 'AlterTableStmt', 'CreateTrigStmt', 'InsertStmt'].includes(kind)) return null;
    if (kind === 'IndexStmt') return indexFault(fields, { isAlone: statements.length === 1, isInTransaction: !sql.includes(NO_TRANSACTION) });
    if (kind === 'AlterTableStmt') return waitsBriefly ? alterationFault(fields, mayDrop) : 'a table that others use is altered only with: set local lock_timeout = …, at most 5s';
    if (kind === 'DropStmt') return mayDrop ? null : 'what is there stays, until a released version does without it: -- Unused since X.Y.Z';
    return `${kind} is no addition`;
  };
  return statements.flatMap((statement, index) => faultOf(statement, index) ?? []);
}

function tableOf(fields: Fields): string {
  return (fields['relation'] as Relation | undefined)?.relname ?? '';
}

function isShortLockWait(fields: Fields): boolean {
  const { name, is_local: isLocal, args } = fields as { readonly name?: string; readonly is_local?: boolean; readonly args?: readonly { readonly A_Const?: { readonly sval?: { readonly sval: string } } }[] };
  const [, seconds = '0'] = /^([1-5])s$/.exec(args?.[0]?.A_Const?.sval?.sval ?? '') ?? [];
  return name === 'lock_timeout' && isLocal === true && Number(seconds) > 0;
}

function indexFault(fields: Fields, { isAlone, isInTransaction }: { readonly isAlone: boolean; readonly isInTransaction: boolean }): string | null {
  const { concurrent, if_not_exists: ifNotExists, unique } = fields as { readonly concurrent?: boolean; readonly if_not_exists?: boolean; readonly unique?: boolean };
  if (unique === true) return 'what was written before may not be unique';
  if (concurrent === true && ifNotExists === true && isAlone && !isInTransaction) return null;
  return `an index of a table that others use is alone in its file: ${NO_TRANSACTION}, create index concurrently if not exists …`;
}

function alterationFault(fields: Fields, mayDrop: boolean): string | null {
  const commands = fields['cmds'] as readonly { readonly AlterTableCmd: { readonly subtype: string; readonly def?: { readonly ColumnDef?: Column; readonly Constraint?: { readonly skip_validation?: boolean } } } }[];
  for (const { AlterTableCmd: { subtype, def } } of commands) {
    if (HARMLESS_ALTERATIONS.has(subtype)) continue;
    if (subtype === 'AT_AddColumn' && def?.ColumnDef !== undefined && isCheapColumn(def.ColumnDef)) continue;
    if (subtype === 'AT_AddConstraint' && def?.Constraint?.skip_validation === true) continue;
    if (subtype === 'AT_DropColumn' && mayDrop) continue;
    return `${subtype}: a table that others use only gains columns that may be null or have a constant default, and constraints that are not valid yet`;
  }
  return null;
}

/** Neither rewrites nor reads the table. */
function isCheapColumn({ constraints = [] }: Column): boolean {
  const kinds = new Map(constraints.map(({ Constraint }) => [Constraint.contype, Constraint]));
  const fallback = kinds.get('CONSTR_DEFAULT')?.raw_expr;
  const hasConstant = fallback !== undefined && Object.keys(fallback).every((kind) => kind === 'A_Const' || kind === 'TypeCast');
  return [...kinds.keys()].every((kind) => kind === 'CONSTR_NULL' || (kind === 'CONSTR_DEFAULT' && hasConstant) || (kind === 'CONSTR_NOTNULL' && hasConstant));
}
