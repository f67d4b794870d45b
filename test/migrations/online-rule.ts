import { concurrentIndexesIn } from '@tidings/postgres/migrate';
import { alterationFault, ownAlterationFault } from './alterations.ts';
import { onlyCounts } from './counters.ts';
import { lockFault, ownTables } from './locks.ts';
import { FOR_EACH_PARTITION, NO_TRANSACTION, readMigration, type Migration } from './migration.ts';
import { has, tableOf, tablesIn, type Fields, type Statement } from './statements.ts';

/**
 * Statements of a migration that are not allowed, each as a sentence that says what to do instead.
 */
export type Faults = readonly string[];

/** These do not affect the previous version and lock no table against reads and writes. */
const HARMLESS = ['CommentStmt', 'CreateEnumStmt', 'CreateSeqStmt', 'CreateStatsStmt'];
/** Tables in partitions. Postgres builds no index on them concurrently, only on a partition. */
export const PARTITIONED_TABLES: readonly string[] = ['events', 'ingest_requests', 'receipts'];
const UNUSED =
  'what is there stays until a released version does without it: -- Unused since X.Y.Z';

/**
 * Finds statements that would stop or break pods of the previous version, which run during a
 * migration. Everything they use must exist afterwards, everything they write must be accepted, and
 * no statement may block a table longer than the lock timeout.
 * Exceptions are declared in the first line. `-- Unused since X.Y.Z`: that released version no
 * longer uses what the file drops. `-- Kept since X.Y.Z`: that version works with what the file
 * changes. A key may become wider, which keeps every row: `-- Implied by KEY: why` in the file that
 * creates the index, and `-- Widens KEY: why every version gets on with both` in the file that
 * replaces the key. `-- Replaced by …`: another index does the work of the dropped one
 * (replaced-indexes.ts). `-- For each partition`: the runner builds the index on each partition of
 * its table, and attaches it. `-- Small TABLE: why it has few rows`: it may become unlogged, which
 * rewrites it. `-- Bridges TABLE: TEST`: triggers of the table let the previous version
 * and this one work on different tables; that test runs both.
 * @param released released versions
 */
export async function findFaults(sql: string, released: readonly string[]): Promise<Faults> {
  const file = await readMigration(sql, released);
  return file.statements.flatMap(
    (statement, index) => findFault(statement, file.statements.slice(0, index), file) ?? [],
  );
}

function findFault(
  statement: Statement,
  earlier: readonly Statement[],
  file: Migration,
): string | null {
  const { kind, fields } = statement;
  if (kind === 'VariableSetStmt')
    return file.waitsBriefly && earlier.length === 0
      ? null
      : "only lock_timeout is set: first, as set local lock_timeout = '5s' or less";
  if (fields['concurrent'] === true) return concurrentFault(statement, file);
  if (!file.isInTransaction)
    return 'half of it may be done when it fails: only an index that is made or dropped concurrently is without a transaction';
  if (file.isForEachPartition)
    return `only an index that is made concurrently has the line ${FOR_EACH_PARTITION}`;
  return changeFault(statement, earlier, file) ?? lockFault(statement, earlier, file);
}

function concurrentFault(statement: Statement, file: Migration): string | null {
  const { kind, fields } = statement;
  const { sql, statements, isInTransaction, isUnused, isKept, isImplied, replacement } = file;
  if (statements.length > 1 || isInTransaction)
    return `what is done concurrently is alone in its file, which has the line ${NO_TRANSACTION}`;
  const partitionFault = kind === 'IndexStmt' ? forEachPartitionFault(fields, file) : null;
  if (partitionFault !== null) return partitionFault;
  if (kind === 'DropStmt' && !isUnused && replacement === null)
    return `${UNUSED}, or another index does its work: -- Replaced by …`;
  if (kind === 'DropStmt')
    return fields['missing_ok'] === true
      ? null
      : 'it may be repeated: drop index concurrently if exists …';
  if (fields['unique'] === true && !isKept && !isImplied)
    return 'the version before may write what is not unique: -- Kept since X.Y.Z, or -- Implied by the key that keeps it: why';
  return concurrentIndexesIn(sql).includes(String(fields['idxname']))
    ? null
    : 'what was left unfinished is found by its spelling: create index concurrently if not exists name, in lower case at the start of a line';
}

/** The mark is that of indexes on tables in partitions. The runner builds them one by one. */
function forEachPartitionFault(fields: Fields, { isForEachPartition }: Migration): string | null {
  if (PARTITIONED_TABLES.includes(tableOf(fields)) !== isForEachPartition)
    return isForEachPartition
      ? `only an index on a table in partitions has the line ${FOR_EACH_PARTITION}`
      : `the table is in partitions: the file has the line ${FOR_EACH_PARTITION}`;
  return isForEachPartition && fields['unique'] === true
    ? 'a unique index needs the columns of the partition key: make it with the table'
    : null;
}

/** The effect of a statement on other versions; `lockFault` checks its locks. */
function changeFault(
  { kind, fields }: Statement,
  earlier: readonly Statement[],
  file: Migration,
): string | null {
  if (HARMLESS.includes(kind)) return null;
  const own = ownTables(earlier);
  const isOwn = own.has(tableOf(fields));
  switch (kind) {
    case 'CreateStmt':
      return fields['if_not_exists'] === true
        ? 'a table of another shape may be there, which others use: create table without if not exists'
        : null;
    case 'CreateFunctionStmt':
    case 'ViewStmt':
      return fields['replace'] !== true ||
        file.isUnused ||
        file.isKept ||
        earlier.some((one) => madeBy(one.fields) === madeBy(fields))
        ? null
        : 'the version before uses what is replaced: make it by a new name, or where a trigger calls it, replace it when a released version gets on with it: -- Kept since X.Y.Z';
    case 'CreateTrigStmt':
      return isOwn ||
        file.isKept ||
        tableOf(fields) === file.bridgedTable ||
        onlyCounts(fields, file.counters)
        ? null
        : 'it works in what the version before writes: make it when a released one gets on with it, -- Kept since X.Y.Z; or let it only insert into a table of the file, after each statement; or name the test that runs both versions: -- Bridges TABLE: TEST';
    case 'AlterEnumStmt':
      return fields['oldVal'] === undefined
        ? null
        : 'the version before writes the old name: add a value instead';
    case 'AlterTableStmt':
      return isOwn
        ? ownAlterationFault(
            fields,
            tablesIn(fields).some((table) => !own.has(table)),
          )
        : alterationFault(fields, file);
    case 'IndexStmt':
      return isOwn
        ? null
        : `others cannot write while it is made: alone in its file ${NO_TRANSACTION}, create index concurrently if not exists …`;
    case 'InsertStmt':
      return isOwn &&
        !has(fields, ['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt', 'LockingClause'])
        ? null
        : 'only a table that the file makes is filled, and no other one written or locked: what is there is for the product to change';
    case 'DropStmt':
      if (fields['behavior'] === 'DROP_CASCADE')
        return 'name all that is dropped, instead of cascade';
      return file.isUnused ? null : UNUSED;
    default:
      return `${kind} is no addition: make something new beside what is there, and let the product change rows`;
  }
}

/** The name of the created object; for a function with its parameters. */
function madeBy({ funcname, parameters, view }: Fields): string {
  return JSON.stringify({ funcname, parameters, view }, (key, value: unknown) =>
    key === 'location' ? undefined : value,
  );
}
