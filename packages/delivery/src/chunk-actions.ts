import type { DeliveryState } from '@tidings/contracts';
import type { Database, Sql } from '@tidings/postgres/database';
import { writtenNow } from '@tidings/postgres/written-ahead';
import { changeDeliveryStates } from './change-states.ts';
import { expandAsCanceled } from './expand.ts';
import { takeBackFromInbox } from './inbox.ts';
import { HAS_ADDRESSES } from './next-claim.ts';
import { unitOf, type SendUnit } from './send-unit.ts';

/** The actions on a campaign that change its deliveries. */
export type ChunkAction = 'cancel' | 'retry-failed';

/** Where a pass over the chunks stands. */
export type ChunkPosition = { readonly campaignId: string; readonly chunkNo: number };

/** 1,000 rows: as much as one transaction changes. */
const CHUNKS_PER_STEP = 5;

type RowsOf = {
  readonly from: readonly DeliveryState[];
  /** SQL of the deliveries `d` that are changed. */
  readonly changed: string;
  /** SQL of those that may have to be changed later. */
  readonly left: string;
  /** The same of single addresses `d`; absent where a delivery is changed as a whole, and its addresses are written anew. */
  readonly addresses?: { readonly changed: string; readonly left: string };
  readonly to: { readonly state: DeliveryState; readonly isFresh?: boolean };
};

/** Nothing was sent of a row in `claimed`: arming refuses it as soon as it is canceled. */
const UNSENT: readonly DeliveryState[] = ['pending', 'claimed', 'retry_wait', 'waiting'];

/** What waited to be sent again may have arrived: of that nobody can say that it was not sent. */
const IN_DOUBT = { state: 'unknown', reason: 'outcome_unknown' } as const;

const IS_UNSENT = `d.state in (${UNSENT.map((state) => `'${state}'`).join(', ')})`;
const IS_UNSETTLED = `(${IS_UNSENT} or d.state = 'sending')`;

const ROWS: Readonly<Record<ChunkAction, RowsOf>> = {
  // What is in flight gets its outcome; if that is another try, it is canceled then.
  cancel: {
    from: UNSENT,
    changed: `d.addressed_at is null and ${IS_UNSENT}`,
    left: `d.addressed_at is null and ${IS_UNSETTLED}`,
    addresses: { changed: IS_UNSENT, left: IS_UNSETTLED },
    to: { state: 'canceled' },
  },
  // What a provider has accepted once, given an id of its own, or may have accepted, is never sent again.
  'retry-failed': {
    from: ['failed'],
    changed: `d.state = 'failed' and d.sent_at is null and d.provider_id is null and d.doubts = 0`,
    left: `d.state = 'failed' and d.sent_at is null and d.provider_id is null and d.doubts = 0`,
    to: { state: 'pending', isFresh: true },
  },
};

/**
 * SQL that notes at the chunk `k` what is left to do ($2: the action), and makes it due where rows of it may be sent
 * again ($3: the chunks), also to look for recipients who were unknown.
 */
const noted = (action: ChunkAction): string =>
  `pending_action = case when ${isLeft(action)} then $2::text end, due_at = case when k.chunk_no = any($3::int[]) then now() else k.due_at end,
   unresolved_at = case when k.chunk_no = any($3::int[]) then now() else k.unresolved_at end, written_at = ${writtenNow('k')}`;

/** SQL that says whether the action has yet to do something to the chunk `k`. */
const isLeft = (action: ChunkAction): string =>
  `(${action === 'cancel' ? 'k.expanded_at is null or ' : ''}exists (
     select 1 from deliveries d where d.campaign_id = k.campaign_id and d.chunk_no = k.chunk_no and ${ROWS[action].left})${isAddressLeft(ROWS[action])})`;

const isAddressLeft = ({ addresses }: RowsOf): string =>
  addresses === undefined
    ? ''
    : ` or exists (select 1 from delivery_addresses d where d.campaign_id = k.campaign_id and d.chunk_no = k.chunk_no and ${addresses.left})`;

/** Whether the campaign has failures that may be tried again. */
export async function hasRetryableFailures(sql: Sql, campaignId: string): Promise<boolean> {
  const { rows } = await sql.query(
    `select 1 from deliveries d where d.campaign_id = $1 and ${ROWS['retry-failed'].changed} limit 1`,
    [campaignId],
  );
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
  await sql.query(
    `with locked as (
       select k.chunk_no from campaign_chunks k
       where k.campaign_id = $1 and (k.pending_action is not null or k.chunk_no = any($3::int[]) or ${isLeft(action)}) order by 1 for update of k)
     update campaign_chunks k set ${noted(action)}
     from locked where k.campaign_id = $1 and k.chunk_no = locked.chunk_no`,
    [campaignId, action, woken],
  );
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
    `select campaign_id, chunk_no from campaign_chunks
     where pending_action is not null and (campaign_id, chunk_no) > ($1, $2) order by 1, 2 limit ${CHUNKS_PER_STEP}`,
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
  await sql.query('select 1 from campaigns where id = $1 for share', [campaignId]);
  const { rows } = await sql.query<{ chunk_no: number; pending_action: ChunkAction }>(
    `select chunk_no, pending_action from campaign_chunks
     where campaign_id = $1 and chunk_no = any($2) and pending_action is not null and expanded_at is not null`,
    [campaignId, chunkNos],
  );
  const action = rows[0]?.pending_action;
  if (action === undefined) return;
  const marked = rows.filter((row) => row.pending_action === action).map((row) => row.chunk_no);
  const woken = await changeRows(sql, { campaignId, action, chunkNos: marked });
  await sql.query(
    // A mark that another pass has taken away meanwhile stays away: of its rows this statement may see the old ones.
    `with locked as (
       select k.chunk_no from campaign_chunks k
       where k.campaign_id = $1 and k.chunk_no = any($4) and k.pending_action is not null order by 1 for update of k)
     update campaign_chunks k set ${noted(action)}
     from locked where k.campaign_id = $1 and k.chunk_no = locked.chunk_no`,
    [campaignId, action, woken, marked],
  );
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
  const { from, changed, addresses, to } = ROWS[action];
  const { rows } = await sql.query<RowToChange>(
    `select d.id as "deliveryId", d.chunk_no, d.state, d.doubts, d.addressed_at is not null as is_addressed
     from deliveries d where d.campaign_id = $1 and d.chunk_no = any($2) and ${changed} order by d.id for update of d skip locked`,
    [campaignId, chunkNos],
  );
  const { rows: ofAddresses } =
    addresses === undefined
      ? { rows: [] }
      : await sql.query<RowToChange>(
          `select d.delivery_id as "deliveryId", d.address_no as "addressNo", d.doubts
           from campaigns c join delivery_addresses d on d.campaign_id = c.id and d.chunk_no = any($2) join deliveries o on o.id = d.delivery_id
           where c.id = $1 and ${HAS_ADDRESSES('c.channel')} and ${addresses.changed} order by o.id for update of o skip locked`,
          [campaignId, chunkNos],
        );
  await forgetAddresses(
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
      ...unitOf(row),
      fence: null,
      ...(row.doubts > 0 ? IN_DOUBT : to),
    })),
  );
  return action === 'cancel' ? [] : [...new Set(rows.map((row) => row.chunk_no))];
}

type RowToChange = SendUnit & {
  readonly chunk_no: number;
  readonly state?: DeliveryState;
  readonly doubts: number;
  readonly is_addressed?: boolean;
};

/** A delivery that begins anew goes to the devices that there are then, under fences that none of its claims has had. */
async function forgetAddresses(sql: Sql, deliveryIds: readonly string[]): Promise<void> {
  if (deliveryIds.length === 0) return;
  await sql.query(
    `with forgotten as (delete from delivery_addresses a where a.delivery_id = any($1) returning a.delivery_id, a.fence)
     update deliveries d set addressed_at = null, fence = greatest(d.fence, f.fence)
     from (select delivery_id, max(fence) as fence from forgotten group by 1) f where d.id = f.delivery_id`,
    [deliveryIds],
  );
}
