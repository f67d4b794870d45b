import type { DeliveryState } from '@tidings/contracts';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { changeDeliveryStates } from './change-states.ts';
import { expandAsCanceled } from './expand.ts';
import { takeBackFromInbox } from './inbox.ts';
import { targetOf, type DeliveryTarget } from './delivery-target.ts';

const statement = statementsIn(import.meta.dirname);

/** The actions on a campaign that change its deliveries. */
export type ChunkAction = 'cancel' | 'retry-failed';

/** Where a pass over the chunks stands. */
export type ChunkPosition = { readonly campaignId: string; readonly chunkNo: number };

/** 1,000 rows: as much as one transaction changes. */
const CHUNKS_PER_STEP = 5;

type RowsOf = {
  readonly from: readonly DeliveryState[];
  /** Locks the deliveries that are changed. */
  readonly lock: string;
  /** The same of single addresses; absent where a delivery is changed as a whole, and its addresses are written anew. */
  readonly lockAddresses?: string;
  /** Notes at the chunks what is left to do, at the begin and after a step; makes them due where rows of them may be sent again. */
  readonly mark: string;
  readonly unmark: string;
  readonly to: { readonly state: DeliveryState; readonly isFresh?: boolean };
};

/** Nothing was sent of a row in `claimed`: arming refuses it as soon as it is canceled. */
const UNSENT: readonly DeliveryState[] = ['pending', 'claimed', 'retry_wait', 'waiting'];

/** What waited to be sent again may have arrived: of that nobody can say that it was not sent. */
const AMBIGUOUS = { state: 'unknown', reason: 'outcome_unknown' } as const;

const ROWS: Readonly<Record<ChunkAction, RowsOf>> = {
  // What is in flight gets its outcome; if that is another try, it is canceled then.
  cancel: {
    from: UNSENT,
    lock: statement('lock-deliveries-to-cancel'),
    lockAddresses: statement('lock-addresses-to-cancel'),
    mark: statement('mark-chunks-to-cancel'),
    unmark: statement('unmark-canceled-chunks'),
    to: { state: 'canceled' },
  },
  // What a provider has accepted once, given an id of its own, or may have accepted, is never sent again.
  'retry-failed': {
    from: ['failed'],
    lock: statement('lock-deliveries-to-retry'),
    mark: statement('mark-chunks-to-retry'),
    unmark: statement('unmark-retried-chunks'),
    to: { state: 'pending', isFresh: true },
  },
};

/** Whether the campaign has failures that may be tried again. */
export async function hasRetryableFailures(sql: Sql, campaignId: string): Promise<boolean> {
  const { rows } = await sql.query(statement('has-retryable-failures'), [campaignId]);
  return rows.length > 0;
}

/**
 * Begins an action in the transaction that changed the campaign's status and holds its lock: the first chunks are
 * changed here, so that a small campaign is done with it; the others are marked, for `carryOutActions`. A campaign with
 * marked chunks never completes. Locks are taken in the order campaign, deliveries, counters, chunks, as everywhere.
 * @callers delivery
 */
export async function beginAction(
  sql: Sql,
  campaignId: string,
  action: ChunkAction,
): Promise<void> {
  const first = Array.from({ length: CHUNKS_PER_STEP }, (_, chunkNo) => chunkNo);
  const woken = await changeRows(sql, { campaignId, action, chunkNos: first });
  await sql.query(ROWS[action].mark, [campaignId, action, woken]);
}

/**
 * One step of a pass over all marked chunks: changes the rows of the next few, and takes their marks away where nothing
 * is left. Returns where it stands, and null at the end. Any number of processes may do this. @callers campaigns
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
  // Another action waits until this step is done; what it has marked since is read after the lock.
  await sql.query(statement('share-campaign'), [campaignId]);
  const { rows } = await sql.query<{ chunk_no: number; pending_action: ChunkAction }>(
    statement('read-marked-chunks'),
    [campaignId, chunkNos],
  );
  const action = rows[0]?.pending_action;
  if (action === undefined) return;
  const marked = rows.filter((row) => row.pending_action === action).map((row) => row.chunk_no);
  const woken = await changeRows(sql, { campaignId, action, chunkNos: marked });
  // A mark that another pass has taken away meanwhile stays away: of its rows this statement may see the old ones.
  await sql.query(ROWS[action].unmark, [campaignId, action, woken, marked]);
}

/** Rows that somebody is just at are left for the next pass. Returns the chunks with rows that may be claimed again. */
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
      : await sql.query<RowToChange>(lockAddresses, values);
  await deleteAddresses(
    sql,
    rows.filter((row) => row.is_addressed).map((row) => row.deliveryId),
  );
  const takenBack = await takeBackFromInbox(
    sql,
    rows.filter((row) => row.state === 'waiting').map((row) => row.deliveryId),
  );
  // One that a device is just fetching may be shown: it is looked at again.
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

type RowToChange = DeliveryTarget & {
  readonly chunk_no: number;
  readonly state?: DeliveryState;
  readonly doubts: number;
  readonly is_addressed?: boolean;
};

/** A delivery that begins anew goes to the devices that there are then, under fences that none of its claims has had. */
async function deleteAddresses(sql: Sql, deliveryIds: readonly string[]): Promise<void> {
  if (deliveryIds.length === 0) return;
  await sql.query(statement('delete-addresses'), [deliveryIds]);
}
