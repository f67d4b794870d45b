import { tableOf, tablesIn, type Statement } from './statements.ts';

/**
 * Tables created by these statements that are not partitions of others. No other process uses them
 * before the file ends.
 */
export function ownTables(statements: readonly Statement[]): ReadonlySet<string> {
  const own = new Set<string>();
  for (const { kind, fields } of statements) {
    if (
      kind === 'CreateStmt' &&
      fields['if_not_exists'] !== true &&
      tablesIn(fields['inhRelations']).every((parent) => own.has(parent))
    )
      own.add(tableOf(fields));
  }
  return own;
}

/** The lock of a statement that would block others; a lock lasts until the file ends. */
export function lockFault(
  statement: Statement,
  earlier: readonly Statement[],
  { waitsBriefly }: { readonly waitsBriefly: boolean },
): string | null {
  const locks = locksOthers(statement, earlier);
  if (locks && !waitsBriefly)
    return "what locks a table that others use waits briefly, or others wait behind it: begin with set local lock_timeout = '5s' or less";
  const isLocked = locks || earlier.some((one, index) => locksOthers(one, earlier.slice(0, index)));
  return isLocked && readsRows(statement, earlier)
    ? 'a table that others use stays locked until the file ends: fill a new table, and read it, in a file before'
    : null;
}

function locksOthers({ kind, fields }: Statement, earlier: readonly Statement[]): boolean {
  if (kind === 'DropStmt') return true;
  const own = ownTables(earlier);
  return (
    ['CreateStmt', 'AlterTableStmt', 'CreateTrigStmt'].includes(kind) &&
    tablesIn(fields).some(
      (table) => !own.has(table) && (kind !== 'CreateStmt' || table !== tableOf(fields)),
    )
  );
}

/** Other allowed statements read only the catalogue, or an empty table. */
function readsRows({ kind, fields }: Statement, earlier: readonly Statement[]): boolean {
  const filled = earlier
    .filter((one) => one.kind === 'InsertStmt')
    .map((one) => tableOf(one.fields));
  return (
    kind === 'InsertStmt' ||
    (['IndexStmt', 'AlterTableStmt'].includes(kind) && filled.includes(tableOf(fields)))
  );
}
