import type { Channel } from '@tidings/contracts/channels/channels';
import { isDeviceChannel } from '@tidings/contracts/channels/device-channels';
import type { Database, Sql } from '@tidings/postgres/database';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { statementsIn } from '@tidings/postgres/statements';
import { type Fenced } from './claims.ts';
import { markSending } from './mark-sending.ts';
import { targetKey } from './change-states.ts';

const statement = statementsIn(import.meta.dirname);

/**
 * Caps of a group of deliveries of one campaign. The number of addresses of a delivery does not
 * matter.
 */
export type SendCaps = {
  /** Maximum messages per user within the window. */
  readonly frequency: { readonly messages: number; readonly windowMs: number } | null;
  /** Maximum units on the day (`YYYY-MM-DD`); each delivery uses `unitsEach`. */
  readonly daily: {
    readonly day: string;
    readonly units: number;
    readonly unitsEach: number;
  } | null;
};

export type CappedGroup = {
  readonly applicationId: string;
  readonly channel: Channel;
  readonly campaignId: string;
  readonly deliveries: readonly Fenced[];
  readonly leaseMs: number;
  readonly caps: SendCaps;
  /** Replaces `markSending`. */
  readonly mark?: MarkSending;
};

/** Marks rows sending where allowed; returns their keys. */
export type MarkSending = (sql: Sql, deliveries: readonly Fenced[]) => Promise<ReadonlySet<string>>;

export type CappedResult = {
  readonly marked: ReadonlySet<string>;
  /** Deliveries over the frequency cap, with the milliseconds until one more message is allowed. */
  readonly frequencyCapped: ReadonlyMap<string, number>;
  /** Deliveries over the daily cap. */
  readonly spendCapped: readonly Fenced[];
};

/**
 * Marks deliveries sending as far as the caps allow. The check and the marking are one transaction,
 * under a lock on what is shared: the user on this channel, and the application's day. So two
 * campaigns never both use the last unit. It may mark several times, which locks chunks before
 * further deliveries; deadlocks with other transactions are retried. @callers channel-worker
 */
export function markSendingWithinCaps(db: Database, group: CappedGroup): Promise<CappedResult> {
  const {
    caps,
    deliveries,
    channel,
    leaseMs,
    mark = (sql, candidates) => markSending({ sql }, candidates, leaseMs),
  } = group;
  return retryConflicts(() =>
    db.transaction(async (sql) => {
      // Lock order: users, the day, deliveries.
      const frequencyCapped =
        caps.frequency === null
          ? new Map<string, number>()
          : await findCappedUsers(sql, group, caps.frequency);
      const candidates = deliveries.filter(({ deliveryId }) => !frequencyCapped.has(deliveryId));
      const { marked, spendCapped } =
        caps.daily === null
          ? { marked: await mark(sql, candidates), spendCapped: [] }
          : await markWithinDay(sql, { ...group, mark }, { candidates, daily: caps.daily });
      if (caps.frequency !== null)
        await recordMarketing(
          sql,
          channel,
          candidates.filter((claim) => marked.has(targetKey(claim))),
        );
      return { marked, frequencyCapped, spendCapped };
    }),
  );
}

/**
 * A message counts from when it is marked sending until it fails. A message that waits for a retry
 * still counts; a bounced one does not.
 */
async function findCappedUsers(
  sql: Sql,
  { channel, deliveries }: CappedGroup,
  { messages, windowMs }: NonNullable<SendCaps['frequency']>,
): Promise<Map<string, number>> {
  const ids = deliveries.map(({ deliveryId }) => deliveryId);
  await sql.query(statement('lock-users-to-send'), [ids, channel]);
  // A separate statement, so that it sees what was committed while the locks were waited for.
  const { rows } = await sql.query<{ id: string; free_in_ms: number | null }>(
    statement('find-capped-deliveries'),
    [ids, channel, messages, windowMs],
  );
  return new Map(
    rows.flatMap(({ id, free_in_ms: freeInMs }) =>
      freeInMs === null ? [] : [[id, Math.max(0, Math.ceil(freeInMs))] as const],
    ),
  );
}

async function recordMarketing(
  sql: Sql,
  channel: Channel,
  marked: readonly Fenced[],
): Promise<void> {
  if (marked.length === 0) return;
  await sql.query(statement('record-marketing'), [
    marked.map(({ deliveryId }) => deliveryId),
    channel,
  ]);
}

async function markWithinDay(
  sql: Sql,
  { applicationId, channel, campaignId, mark }: CappedGroup & { readonly mark: MarkSending },
  {
    candidates,
    daily: { day, units, unitsEach },
  }: { readonly candidates: readonly Fenced[]; readonly daily: NonNullable<SendCaps['daily']> },
): Promise<{ readonly marked: ReadonlySet<string>; readonly spendCapped: readonly Fenced[] }> {
  const key = [applicationId, channel, day];
  await sql.query(statement('begin-day'), key);
  const { rows } = await sql.query<{ units: number }>(statement('lock-day'), key);
  const places = Math.max(0, Math.floor((units - (rows[0]?.units ?? units)) / unitsEach));
  const isSpread = isDeviceChannel(channel);
  const counted = isSpread ? await findCounted(sql, candidates) : new Set<string>();
  const { marked, counting, waiting } = await markWhileUnitsLeft(sql, {
    candidates,
    counted,
    places,
    mark,
  });
  await sql.query(statement('add-units-to-day'), [...key, counting.size * unitsEach]);
  if (isSpread) await sql.query(statement('mark-counted'), [[...counting], day]);
  if (waiting.length > 0) {
    await sql.query(statement('log-spend-cap'), [campaignId, day]);
  }
  return { marked, spendCapped: waiting };
}

/**
 * The deliveries already counted for another of their addresses. Locked before the addresses, as
 * everywhere.
 */
async function findCounted(sql: Sql, candidates: readonly Fenced[]): Promise<Set<string>> {
  const { rows } = await sql.query<{ id: string; counted_on: string | null }>(
    statement('lock-counted'),
    [candidates.map(({ deliveryId }) => deliveryId)],
  );
  return new Set(rows.filter((row) => row.counted_on !== null).map((row) => row.id));
}

/**
 * Each uncounted delivery uses one place. Rows that cannot be marked (paused, canceled, no longer
 * ours) use none, so the next candidate gets it.
 */
async function markWhileUnitsLeft(
  sql: Sql,
  {
    candidates,
    counted,
    places,
    mark,
  }: {
    readonly candidates: readonly Fenced[];
    readonly counted: ReadonlySet<string>;
    readonly places: number;
    readonly mark: MarkSending;
  },
): Promise<{
  readonly marked: Set<string>;
  readonly counting: Set<string>;
  readonly waiting: readonly Fenced[];
}> {
  const marked = new Set<string>();
  const counting = new Set<string>();
  let waiting = candidates;
  for (;;) {
    const chosen = new Set<string>([...counted, ...counting]);
    const takesPlace = ({ deliveryId }: Fenced): boolean => {
      if (!chosen.has(deliveryId) && chosen.size - counted.size < places) chosen.add(deliveryId);
      return chosen.has(deliveryId);
    };
    const next = waiting.filter(takesPlace);
    if (next.length === 0) return { marked, counting, waiting };
    waiting = waiting.filter((claim) => !chosen.has(claim.deliveryId));
    const now = await mark(sql, next);
    for (const claim of next.filter((one) => now.has(targetKey(one)))) {
      marked.add(targetKey(claim));
      if (!counted.has(claim.deliveryId)) counting.add(claim.deliveryId);
    }
  }
}

/**
 * Refunds the units of a send that was certainly not accepted. On device channels, `deliveryId`
 * stays counted until all its addresses have failed. @callers channel-worker
 */
export async function refundDailyUnits(
  db: Database,
  {
    applicationId,
    channel,
    day,
    units,
    deliveryId,
  }: {
    readonly applicationId: string;
    readonly channel: Channel;
    readonly day: string;
    readonly units: number;
    readonly deliveryId?: string;
  },
): Promise<void> {
  if (deliveryId !== undefined && isDeviceChannel(channel))
    return refundUnitsOfFailed(db, { key: [applicationId, channel, day], units, deliveryId });
  await db.sql.query(statement('refund-units-to-day'), [applicationId, channel, day, units]);
}

function refundUnitsOfFailed(
  db: Database,
  {
    key,
    units,
    deliveryId,
  }: { readonly key: readonly string[]; readonly units: number; readonly deliveryId: string },
): Promise<void> {
  return db.transaction(async (sql) => {
    // Lock the day before the delivery, as `markWithinDay` does.
    await sql.query(statement('lock-day-of-failed'), [...key]);
    const { rowCount } = await sql.query(statement('unmark-counted'), [deliveryId, key[2]]);
    if (rowCount === 0) return;
    await sql.query(statement('refund-units-to-day'), [...key, units]);
  });
}

const DAYS_KEPT = 3;

/**
 * Deletes up to `limit` rows of each kind that no cap counts any more. Returns how many.
 * @callers scheduler
 */
export async function purgeCountedSends(
  db: Database,
  { windowHours, limit }: { readonly windowHours: number; readonly limit: number },
): Promise<number> {
  const { rowCount: sends } = await db.sql.query(statement('purge-marketing-sends'), [
    windowHours,
    limit,
  ]);
  const { rowCount: days } = await db.sql.query(statement('purge-daily-sends'), [DAYS_KEPT, limit]);
  return (sends ?? 0) + (days ?? 0);
}
