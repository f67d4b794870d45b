import type { Migration } from './migration.ts';
import { joinNames, tableOf, type Fields, type Node } from './statements.ts';

type Command = {
  readonly subtype: string;
  readonly name?: string;
  readonly behavior?: string;
  readonly def?: Node;
};
type Constraint = { readonly contype: string; readonly raw_expr?: Node };
type Column = {
  readonly typeName: { readonly names: unknown };
  readonly constraints?: readonly { readonly Constraint: Constraint }[];
};

/** These neither read rows nor restrict what may be written. */
const HARMLESS = ['AT_SetStatistics', 'AT_SetRelOptions', 'AT_ResetRelOptions', 'AT_DropNotNull'];

/** What an alteration of an existing table would break or block for other versions. */
export function alterationFault(fields: Fields, file: Migration): string | null {
  if (!['OBJECT_TABLE', 'OBJECT_INDEX'].includes(String(fields['objtype'])))
    return 'a view or a type that is there stays as it is: make a new one, which the new version uses';
  if (file.widenedKey !== undefined && replacesKey(listCommands(fields), file.widenedKey))
    return null;
  for (const { subtype, ...rest } of listCommands(fields)) {
    if (subtype === 'AT_SetUnLogged' && tableOf(fields) === file.smallTable) continue;
    const fault = commandFault({ subtype, ...rest }, file);
    if (fault !== null) return `${subtype}: ${fault}`;
  }
  return null;
}

/** What an alteration of a new table would do to another one: it may only reference it. */
export function ownAlterationFault(fields: Fields, isAboutOthers: boolean): string | null {
  const kinds = listCommands(fields).map(({ subtype }) => subtype);
  return isAboutOthers &&
    !kinds.every((kind) => ['AT_AddConstraint', 'AT_AddColumn'].includes(kind))
    ? `${kinds.join()}: a new table is no part of one that others use, nor that one of it: make it by create table … partition of`
    : null;
}

function listCommands(fields: Fields): readonly Command[] {
  return (fields['cmds'] as readonly { readonly AlterTableCmd: Command }[]).map(
    ({ AlterTableCmd }) => AlterTableCmd,
  );
}

/**
 * Drops a key and creates it again from an existing index, in one statement, so that no write comes
 * between.
 */
function replacesKey(commands: readonly Command[], key: string): boolean {
  const [dropped, added] = commands;
  const { conname, indexname, contype } = (added?.def?.['Constraint'] ?? {}) as Fields;
  const isDropped =
    dropped?.subtype === 'AT_DropConstraint' &&
    dropped.name === key &&
    dropped.behavior !== 'DROP_CASCADE';
  const isAdded =
    added?.subtype === 'AT_AddConstraint' &&
    conname === key &&
    indexname !== undefined &&
    contype === 'CONSTR_PRIMARY';
  return commands.length === 2 && isDropped && isAdded;
}

function commandFault({ subtype, behavior, def }: Command, file: Migration): string | null {
  if (behavior === 'DROP_CASCADE') return 'name all that is dropped, instead of cascade';
  if (HARMLESS.includes(subtype)) return null;
  switch (subtype) {
    case 'AT_AddColumn':
      return columnFault(def?.['ColumnDef'] as unknown as Column);
    case 'AT_ColumnDefault':
      return file.isUnused || (def !== undefined && !isNull(def))
        ? null
        : 'the version before may leave the value to the default: drop it when a released one does without, -- Unused since X.Y.Z';
    case 'AT_DropColumn':
    case 'AT_DropConstraint':
      return file.isUnused
        ? null
        : 'what is there stays until a released version does without it: -- Unused since X.Y.Z';
    case 'AT_AddConstraint':
      if (def?.['Constraint']?.['skip_validation'] !== true)
        return 'reading the rows that are there keeps others waiting: add it not valid, and validate it in a file after';
      return file.isKept
        ? null
        : 'the version before may write what it forbids: add it when a released one keeps to it, -- Kept since X.Y.Z';
    case 'AT_ValidateConstraint':
      return file.statements.length === 2 && hasOneCommand(file)
        ? null
        : 'what was locked before stays locked while rows are read: validate alone in a file, after lock_timeout';
    default:
      return 'a table that others use gains columns, and constraints that are not valid yet (also: constraint … not null … not valid); make a new column beside one that is to change';
  }
}

function hasOneCommand({ statements }: Migration): boolean {
  return (
    statements.flatMap(({ kind, fields }) =>
      kind === 'AlterTableStmt' ? listCommands(fields) : [],
    ).length === 1
  );
}

/**
 * True if adding the column neither rewrites nor reads the table, and older versions can still
 * insert.
 */
function columnFault({ typeName, constraints = [] }: Column): string | null {
  if (/serial/i.test(joinNames(typeName.names)))
    return 'numbering the rows that are there rewrites the table: make a sequence and a column, then alter column … set default nextval(…)';
  const kinds = new Map(
    constraints.map(({ Constraint }) => [Constraint.contype, Constraint.raw_expr]),
  );
  const fallback = kinds.get('CONSTR_DEFAULT');
  if (fallback !== undefined && !isConstant(fallback))
    return 'another default for each row rewrites the table: add the column without, then alter column … set default …';
  if (kinds.has('CONSTR_NOTNULL') && (fallback === undefined || isNull(fallback)))
    return 'the version before writes no value: a column that is not null has a default';
  const other = [...kinds.keys()].find(
    (kind) => !['CONSTR_DEFAULT', 'CONSTR_NOTNULL', 'CONSTR_NULL'].includes(kind),
  );
  return other === undefined
    ? null
    : `${other} of a new column reads or rewrites the table: add the column without`;
}

/** Evaluated once for all rows: a constant, or the transaction time. */
function isConstant(expression: Node): boolean {
  const [[kind, fields] = ['', {}]] = Object.entries(expression);
  switch (kind) {
    case 'A_Const':
    case 'SQLValueFunction':
      return true;
    case 'TypeCast':
      return isConstant(fields['arg'] as Node);
    case 'A_ArrayExpr':
      return ((fields['elements'] ?? []) as readonly Node[]).every(isConstant);
    case 'FuncCall':
      return (
        ['now', 'pg_catalog.now'].includes(joinNames(fields['funcname'])) &&
        fields['args'] === undefined
      );
    default:
      return false;
  }
}

function isNull({ A_Const: constant, TypeCast: cast }: Node): boolean {
  return cast === undefined ? constant?.['isnull'] === true : isNull(cast['arg'] as Node);
}
