import type { Database, Sql } from '@tidings/postgres/database';
import { forceIndexJoins } from '@tidings/postgres/force-index-joins';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { statementsIn } from '@tidings/postgres/statements';
import { deleteLinkHits } from '@tidings/link-hits/link-hits';
import { sampledDeliveries, sendLatencySoFar } from './send-latency.ts';

const statement = statementsIn(import.meta.dirname);

/** Deliveries that one step reads for report latencies: some 100 ms of Postgres time. */
const SCANNED_MAX = 100_000;

type PurgeOptions = { readonly days: number; readonly limit: number; readonly scannedMax?: number };

/**
 * Marks the recipients of up to `limit` of the oldest campaigns, ended and older than `days`, as
 * deleted. Their failures can no longer be retried; `deleteRecipientRows` deletes the rows. Figures
 * that reports compute from rows are stored first. Returns how many, and whether more may follow.
 * @callers scheduler
 */
export async function beginRecipientPurge(
  db: Database,
  { days, limit, scannedMax = SCANNED_MAX }: PurgeOptions,
): Promise<{ readonly begun: number; readonly hasMore: boolean }> {
  return transact(db, async (sql) => {
    const { rows: due } = await sql.query<{
      id: string;
      recipientsUnique: number;
      isUntimed: boolean;
    }>(statement('lock-campaigns-to-purge'), [days, limit]);
    let lookedAt = 0;
    // A campaign larger than one step is processed alone.
    const taken = due.filter(
      ({ isUntimed, recipientsUnique }, at) =>
        (lookedAt += isUntimed ? sampledDeliveries(recipientsUnique) : 0) <= scannedMax || at === 0,
    );
    const times = await sendLatencySoFar(
      sql,
      taken.filter(({ isUntimed }) => isUntimed),
    );
    await sql.query(statement('mark-recipients-deleted'), [
      JSON.stringify(taken.map(({ id }) => ({ id, ...times.get(id) }))),
    ]);
    return { begun: taken.length, hasMore: due.length === limit || taken.length < due.length };
  });
}

const CHUNKS_OF_ROWS = 200;
const CAMPAIGNS_PER_STEP = 500;

/**
 * Deletes rows of campaigns whose recipients are marked deleted: several small campaigns, or a part
 * of a large one, up to about `limit` recipients. Counters stay. Returns whether more may follow.
 * @callers scheduler
 */
export function deleteRecipientRows(
  db: Database,
  limit: number,
): Promise<{ readonly deleted: number; readonly hasMore: boolean }> {
  return transact(db, async (sql) => {
    const { rows } = await sql.query<{ id: string; recipients: number }>(
      statement('lock-campaigns-with-rows'),
      [CAMPAIGNS_PER_STEP],
    );
    const [first] = rows;
    if (first === undefined) return { deleted: 0, hasMore: false };
    let sum = 0;
    const small = rows.filter(({ recipients }) => (sum += recipients) <= limit).map(({ id }) => id);
    const ids = small.length === 0 ? [first.id] : small;
    const chunksMax = small.length === 0 ? Math.max(1, Math.floor(limit / CHUNKS_OF_ROWS)) : null;
    const { chunks, rows: deleted } = await deleteChunks(sql, ids, chunksMax);
    if (small.length === 0 && chunks > 0) return { deleted, hasMore: true };
    const events = await deleteEvents(sql, ids, small.length === 0 ? limit : null);
    if (small.length === 0 && events > 0) return { deleted: events, hasMore: true };
    await sql.query(statement('mark-rows-deleted'), [ids]);
    return { deleted: deleted + events, hasMore: true };
  });
}

/** Callbacks and user deletions lock the same rows. */
function transact<T>(db: Database, work: (sql: Sql) => Promise<T>): Promise<T> {
  const joining = async (sql: Sql): Promise<T> => {
    await forceIndexJoins(sql);
    return work(sql);
  };
  return retryConflicts(() => db.transaction(joining));
}

/** Delete a chunk with all its rows, so that no delivery is left without a chunk. */
async function deleteChunks(
  sql: Sql,
  campaignIds: readonly string[],
  limit: number | null,
): Promise<{ readonly chunks: number; readonly rows: number }> {
  const { rows } = await sql.query<{ chunks: number; rows: number; delivery_ids: string[] }>(
    statement('delete-chunks'),
    [campaignIds, limit],
  );
  const { chunks = 0, rows: deleted = 0, delivery_ids: deliveryIds = [] } = rows[0] ?? {};
  await deleteLinkHits(sql, deliveryIds);
  return { chunks, rows: deleted };
}

async function deleteEvents(
  sql: Sql,
  campaignIds: readonly string[],
  limit: number | null,
): Promise<number> {
  const { rowCount } = await sql.query(statement('delete-events'), [campaignIds, limit]);
  return rowCount ?? 0;
}

/** What became of the recipients of campaigns that an automation sent on a day, by state. */
export type SentByAutomation = {
  readonly automation_id: string;
  readonly version: number;
  readonly node: string;
  readonly state: string;
  readonly day: string;
  readonly application_id: string;
  readonly n: number;
};

/**
 * Deletes campaigns older than `days` without recipient rows, with their counters, oldest first.
 * Returns how many.
 * @param keepSent gets the totals of automations, in the same transaction
 * @callers scheduler
 */
export async function purgeCampaigns(
  db: Database,
  { days, limit }: { readonly days: number; readonly limit: number },
  keepSent: (sql: Sql, sent: readonly SentByAutomation[]) => Promise<void>,
): Promise<number> {
  return transact(db, async (sql) => {
    const { rows } = await sql.query<{ gone: number; sent: unknown }>(
      statement('purge-campaigns'),
      [days, limit],
    );
    const [row] = rows;
    if (row === undefined) return 0;
    await keepSent(sql, row.sent as readonly SentByAutomation[]);
    return row.gone;
  });
}
