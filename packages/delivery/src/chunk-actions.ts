import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { changeDeliveryStates, targetOf, type DeliveryTarget } from './change-states.ts';
import { deleteDeliveryData } from './delivery-data.ts';
import { expandAsCanceled } from './expand.ts';
import { takeBackFromInbox } from './inbox.ts';

const statement = statementsIn(import.meta.dirname);

/** Campaign actions that change deliveries. */
export type ChunkAction = 'cancel' | 'retry-failed';

/** Position of a pass over the chunks. */
export type ChunkPosition = { readonly campaignId: string; readonly chunkNo: number };

/** 5 chunks are 1,000 rows, the maximum per transaction. */
const CHUNKS_PER_STEP = 5;

type RowsOf = {
  readonly from: readonly DeliveryState[];
  /** Statement that locks the deliveries to change. */
  readonly lock: string;
  /**
   * Statement that locks single addresses; absent if whole deliveries are changed and their
   * addresses are created again.
   */
  readonly lockAddresses?: string;
  /**
   * Statement that marks chunks with remaining work, and makes chunks due whose rows may be sent
   * again.
   */
  readonly mark: string;
  readonly unmark: string;
  readonly to: { readonly state: DeliveryState; readonly isFresh?: boolean };
};

/** `claimed` rows are not sent yet; marking them sending fails once they are canceled. */
const UNSENT: readonly DeliveryState[] = ['pending', 'claimed', 'retry_wait', 'waiting'];

/**
 * A row that waits for a retry after an unknown outcome may have arrived, so it becomes unknown.
 */
const AMBIGUOUS = { state: 'unknown', reason: 'outcome_unknown' } as const;

const ROWS: Readonly<Record<ChunkAction, RowsOf>> = {
  // Rows in flight get their outcome. If that is a retry, they are canceled then.
  cancel: {
    from: UNSENT,
    lock: statement('lock-deliveries-to-cancel'),
    lockAddresses: statement('lock-addresses-to-cancel'),
    mark: statement('mark-chunks-to-cancel'),
    unmark: statement('unmark-canceled-chunks'),
    to: { state: 'canceled' },
  },
  // Never resend what a provider accepted, gave an id, or may have accepted.
  'retry-failed': {
    from: ['failed'],
    lock: statement('lock-deliveries-to-retry'),
    mark: statement('mark-chunks-to-retry'),
    unmark: statement('unmark-retried-chunks'),
    to: { state: 'pending', isFresh: true },
  },
};

/** Whether the campaign has failures that can be retried. */
export async function hasRetryableFailures(sql: Sql, campaignId: string): Promise<boolean> {
  const { rows } = await sql.query(statement('has-retryable-failures'), [campaignId]);
  return rows.length > 0;
}

/**
 * Starts an action in the transaction that changed the campaign's status and holds its lock. It
 * changes the first 1,000 rows and marks the other chunks for `carryOutActions`. A campaign with
 * marked chunks never completes. Lock order: campaign, deliveries, counters, chunks.
 * @callers delivery
 */
export async function beginAction(
  sql: Sql,
  campaignId: string,
  action: ChunkAction,
): Promise<void> {
  // Chunks of a personalised campaign have negative numbers.
  const first = Array.from({ length: CHUNKS_PER_STEP }, (_, index) => [index, -1 - index]).flat();
  const woken = await changeRows(sql, { campaignId, action, chunkNos: first });
  await sql.query(ROWS[action].mark, [campaignId, action, woken]);
}

/**
 * One step over the marked chunks: changes the rows of the next few and unmarks finished chunks.
 * Returns the new position, or null at the end. Safe to run concurrently. @callers campaigns
 */
export async function carryOutActions(
  db: Database,
  after: ChunkPosition | null,
): Promise<ChunkPosition | null> {
  const { rows } = await db.sql.query<{ campaign_id: string; chunk_no: number }>(
    statement('next-marked-chunks'),
    [after?.campaignId ?? '00000000-0000-0000-0000-000000000000', after?.chunkNo ?? -1],
  );
  const campaignId = rows[0]?.campaign_id;
  if (campaignId === undefined) return null;
  const chunkNos = rows.filter((row) => row.campaign_id === campaignId).map((row) => row.chunk_no);
  await expandAsCanceled(db, campaignId, chunkNos);
  await db.transaction((sql) => changeMarked(sql, campaignId, chunkNos));
  return { campaignId, chunkNo: chunkNos.at(-1) ?? 0 };
}

async function changeMarked(
  sql: Sql,
  campaignId: string,
  chunkNos: readonly number[],
): Promise<void> {
  // Blocks other actions until this step ends; read marks after taking the lock.
  await sql.query(statement('share-campaign'), [campaignId]);
  const { rows } = await sql.query<{ chunk_no: number; pending_action: ChunkAction }>(
    statement('read-marked-chunks'),
    [campaignId, chunkNos],
  );
  const action = rows[0]?.pending_action;
  if (action === undefined) return;
  const marked = rows.filter((row) => row.pending_action === action).map((row) => row.chunk_no);
  const woken = await changeRows(sql, { campaignId, action, chunkNos: marked });
  // Do not restore a mark that another pass removed: this statement may see old rows.
  await sql.query(ROWS[action].unmark, [campaignId, action, woken, marked]);
}

/**
 * Changes the rows; locked rows are left for the next pass. Returns the chunks whose rows may be
 * claimed again.
 */
async function changeRows(
  sql: Sql,
  {
    campaignId,
    action,
    chunkNos,
  }: {
    readonly campaignId: string;
    readonly action: ChunkAction;
    readonly chunkNos: readonly number[];
  },
): Promise<number[]> {
  const { from, lock, lockAddresses, to } = ROWS[action];
  const values = [campaignId, chunkNos];
  const { rows } = await sql.query<RowToChange>(lock, values);
  const { rows: ofAddresses } =
    lockAddresses === undefined
      ? { rows: [] }
      : await sql.query<AddressToChange>(lockAddresses, values);
  await deleteAddresses(
    sql,
    rows.filter((row) => row.is_addressed).map((row) => row.deliveryId),
  );
  // What begins anew is rendered anew.
  if (action === 'retry-failed')
    await deleteDeliveryData(
      sql,
      rows.map((row) => row.deliveryId),
    );
  const takenBack = await takeBackFromInbox(
    sql,
    rows.filter((row) => row.state === 'waiting').map((row) => row.deliveryId),
  );
  // A device may be displaying a message that it is fetching: the next pass checks it.
  const free = rows.filter((row) => row.state !== 'waiting' || takenBack.has(row.deliveryId));
  await changeDeliveryStates(
    sql,
    from,
    [...free, ...ofAddresses].map((row) => ({
      ...targetOf(row),
      fence: null,
      ...(row.doubts > 0 ? AMBIGUOUS : to),
    })),
  );
  return action === 'cancel' ? [] : [...new Set(rows.map((row) => row.chunk_no))];
}

type AddressToChange = DeliveryTarget & { readonly doubts: number };

type RowToChange = Omit<AddressToChange, 'addressNo'> & {
  readonly chunk_no: number;
  readonly state: DeliveryState;
  readonly is_addressed: boolean;
};

/** A restarted delivery goes to the devices that exist then, with fences above all earlier ones. */
async function deleteAddresses(sql: Sql, deliveryIds: readonly string[]): Promise<void> {
  if (deliveryIds.length === 0) return;
  await sql.query(statement('delete-addresses'), [deliveryIds]);
}
