import type { Database, Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { statementsIn } from '@tidings/postgres/statements';
import { targetKey } from './change-states.ts';
import { columnsOf } from './delivery-data.ts';
import { byTable, inOrder, keysOf, othersOf, type Fenced, type Source } from './fenced-rows.ts';

const statement = statementsIn(import.meta.dirname);

/** Rows of one table; the chunks are locked after them. */
const MARK_SENDING: Readonly<Record<Source, string>> = {
  deliveries: definePrepared(statement('mark-deliveries-sending')),
  addresses: definePrepared(statement('mark-addresses-sending')),
  read: definePrepared(statement('mark-read-deliveries-sending')),
};
/** Rows of both tables: deliveries, then addresses, then the chunks of both. */
const MARK_BOTH_SENDING: Readonly<Record<Source, string>> = {
  deliveries: definePrepared(statement('mark-deliveries-before-addresses')),
  // It records its leases itself.
  read: MARK_SENDING.read,
  addresses: definePrepared(statement('mark-addresses-after-deliveries')),
};
const RECORD_LEASES = definePrepared(statement('record-leases'));

/**
 * Marks rows `sending` immediately before the send; only rows whose keys are returned may be sent.
 * The compare-and-set checks the fence (another worker may have the row), pause, cancel and expiry.
 * It also records the lease at the chunk (`expireSendingLeases`), and what was filled in. Of two devices
 * of a delivery with other words only the first is marked.
 * @callers channel-worker
 */
export async function markSending(
  { sql }: Pick<Database, 'sql'>,
  deliveries: readonly Fenced[],
  leaseMs: number,
): Promise<Set<string>> {
  return new Set((await markTables(sql, byTable(deliveries), leaseMs)).keys());
}

/**
 * `markSending` for several groups, all or none. A claim in two groups is marked for the first.
 * @callers channel-worker
 */
export async function markGroupsSending(
  db: Pick<Database, 'sql' | 'transaction'>,
  groups: readonly (readonly Fenced[])[],
  leaseMs: number,
): Promise<Set<string>[]> {
  const tables = byTable(groups.flat());
  const fences = await (tables.length > 1
    ? retryConflicts(() => db.transaction((sql) => markBoth(sql, tables, leaseMs)))
    : markTables(db.sql, tables, leaseMs));
  const take = (claim: Fenced): boolean =>
    fences.get(targetKey(claim)) === claim.fence && fences.delete(targetKey(claim));
  return groups.map((group) => new Set(group.filter(take).map(targetKey)));
}

type Tables = ReturnType<typeof byTable>;

/** Returns the fences of the marked rows, by key. */
async function markTables(sql: Sql, tables: Tables, leaseMs: number): Promise<Map<string, number>> {
  return fencesOf(await runMarking(sql, tables, { leaseMs, statements: MARK_SENDING }));
}

/** `markTables` for both tables; needs a transaction, because the chunks are updated at its end. */
async function markBoth(sql: Sql, tables: Tables, leaseMs: number): Promise<Map<string, number>> {
  const marked = await runMarking(sql, tables, { leaseMs, statements: MARK_BOTH_SENDING });
  const leased = marked.filter((row) => row.campaign_id !== undefined);
  await sql.query(RECORD_LEASES, [
    leased.map((row) => row.campaign_id),
    leased.map((row) => row.chunk_no),
    leased.map((row) => row.lease_until),
  ]);
  return fencesOf(marked);
}

async function runMarking(
  sql: Sql,
  tables: Tables,
  {
    leaseMs,
    statements,
  }: { readonly leaseMs: number; readonly statements: Readonly<Record<Source, string>> },
): Promise<readonly MarkedRow[]> {
  const marked: MarkedRow[] = [];
  for (const [table, claims] of tables) {
    const ordered = inOrder(claims);
    const { rows } = await sql.query<MarkedRow>(statements[table], [
      ...keysOf(ordered),
      leaseMs,
      ...columnsOf(ordered),
      ...accountsOf(table, ordered),
      ...othersOf(table, ordered),
    ]);
    marked.push(...rows);
  }
  return marked;
}

function fencesOf(marked: readonly MarkedRow[]): Map<string, number> {
  return new Map(
    marked.map(({ id, address_no: no, fence }) => [
      targetKey({ deliveryId: id, ...(no !== undefined && { addressNo: no }) }),
      fence,
    ]),
  );
}

type MarkedRow = {
  readonly id: string;
  readonly address_no?: number;
  readonly fence: number;
  /** Present if both tables are marked. */
  readonly campaign_id?: string;
  readonly chunk_no?: number;
  readonly lease_until?: string;
};

/** The accounts that rows are sent by, in the statements that mark deliveries. */
const accountsOf = (source: Source, claims: readonly Fenced[]): unknown[] => {
  if (source === 'addresses') return [];
  if (claims.every(({ sentBy }) => sentBy === undefined)) return [null, null];
  return [claims.map(({ sentBy }) => sentBy?.account), claims.map(({ sentBy }) => sentBy?.reason)];
};
