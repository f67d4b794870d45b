import { isDeviceChannel, type Channel } from '@tidings/contracts';
import type { Database, Sql } from '@tidings/postgres/database';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { armDeliveries, type Fenced } from './claims.ts';
import { unitKey } from './send-unit.ts';

/** What a group of deliveries of one campaign may use up. To how many addresses a delivery goes makes no difference. */
export type SendCaps = {
  /** So many messages for one user within the window. */
  readonly frequency: { readonly messages: number; readonly windowMs: number } | null;
  /** So many units on the day (`YYYY-MM-DD`), of which each delivery takes `unitsEach`. */
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
  /** How they are armed, where that is not `armDeliveries`. */
  readonly arm?: Arm;
};

/** Arms what may be armed; the keys of that. */
export type Arm = (sql: Sql, deliveries: readonly Fenced[]) => Promise<ReadonlySet<string>>;

export type CappedArming = {
  readonly armed: ReadonlySet<string>;
  /** Deliveries whose user has had enough, with the milliseconds until there is room for one more. */
  readonly frequencyCapped: ReadonlyMap<string, number>;
  /** Deliveries for which the day has no room. */
  readonly spendCapped: readonly Fenced[];
};

/** Of the advisory locks, those of users' marketing. */
const LOCK_SEED = 7_301;

/**
 * Arms deliveries as far as the caps allow. Decision and arming are one transaction under a lock on what they share (the
 * user on this channel; the application's day), so two campaigns never both take the last place. It arms more than once, so
 * chunks are locked before further deliveries: where that meets somebody who waits the other way round it is done again. @callers channel-worker
 */
export function armWithinCaps(db: Database, group: CappedGroup): Promise<CappedArming> {
  const {
    caps,
    deliveries,
    channel,
    leaseMs,
    arm = (sql, candidates) => armDeliveries({ sql }, candidates, leaseMs),
  } = group;
  return retryConflicts(() =>
    db.transaction(async (sql) => {
      // Always in this order: users, the day, deliveries.
      const frequencyCapped =
        caps.frequency === null
          ? new Map<string, number>()
          : await findCappedUsers(sql, group, caps.frequency);
      const candidates = deliveries.filter(({ deliveryId }) => !frequencyCapped.has(deliveryId));
      const { armed, spendCapped } =
        caps.daily === null
          ? { armed: await arm(sql, candidates), spendCapped: [] }
          : await armWithinDay(sql, { ...group, arm }, { candidates, daily: caps.daily });
      if (caps.frequency !== null)
        await noteMarketing(
          sql,
          channel,
          candidates.filter((claim) => armed.has(unitKey(claim))),
        );
      return { armed, frequencyCapped, spendCapped };
    }),
  );
}

/**
 * A message counts from its arming on for as long as it is not known to have failed: one that waits for another try has
 * its place, one that bounced gives it back.
 */
async function findCappedUsers(
  sql: Sql,
  { channel, deliveries }: CappedGroup,
  { messages, windowMs }: NonNullable<SendCaps['frequency']>,
): Promise<Map<string, number>> {
  const ids = deliveries.map(({ deliveryId }) => deliveryId);
  await sql.query(
    `select pg_advisory_xact_lock(key) from (
       select distinct hashtextextended(d.user_id::text || $2, ${LOCK_SEED}) as key from deliveries d where d.id = any($1) and d.user_id is not null order by 1) users`,
    [ids, channel],
  );
  // A statement of its own, because it must see what was committed while the locks were waited for.
  const { rows } = await sql.query<{ id: string; free_in_ms: number | null }>(
    `select d.id,
       (extract(epoch from (array_agg(s.armed_at order by s.armed_at desc))[$3::int] + $4::float8 * interval '1 ms' - clock_timestamp()) * 1000)::float8 as free_in_ms
     from deliveries d
     join marketing_sends s on s.user_id = d.user_id and s.channel = $2 and s.delivery_id <> d.id
       and s.armed_at > clock_timestamp() - $4::float8 * interval '1 ms'
     join deliveries o on o.id = s.delivery_id and o.state not in ('failed', 'expired', 'canceled')
     where d.id = any($1) group by d.id`,
    [ids, channel, messages, windowMs],
  );
  return new Map(
    rows.flatMap(({ id, free_in_ms: freeInMs }) =>
      freeInMs === null ? [] : [[id, Math.max(0, Math.ceil(freeInMs))] as const],
    ),
  );
}

async function noteMarketing(sql: Sql, channel: Channel, armed: readonly Fenced[]): Promise<void> {
  if (armed.length === 0) return;
  await sql.query(
    `insert into marketing_sends (user_id, channel, delivery_id, armed_at)
     select d.user_id, $2, d.id, clock_timestamp() from deliveries d where d.id = any($1) and d.user_id is not null
     on conflict (user_id, channel, delivery_id) do update set armed_at = excluded.armed_at`,
    [armed.map(({ deliveryId }) => deliveryId), channel],
  );
}

async function armWithinDay(
  sql: Sql,
  { applicationId, channel, campaignId, arm }: CappedGroup & { readonly arm: Arm },
  {
    candidates,
    daily: { day, units, unitsEach },
  }: { readonly candidates: readonly Fenced[]; readonly daily: NonNullable<SendCaps['daily']> },
): Promise<{ readonly armed: ReadonlySet<string>; readonly spendCapped: readonly Fenced[] }> {
  const key = [applicationId, channel, day];
  await sql.query(
    'insert into daily_sends (application_id, channel, day, units) values ($1, $2, $3, 0) on conflict do nothing',
    key,
  );
  const { rows } = await sql.query<{ units: number }>(
    'select units::float8 as units from daily_sends where application_id = $1 and channel = $2 and day = $3 for update',
    key,
  );
  const places = Math.max(0, Math.floor((units - (rows[0]?.units ?? units)) / unitsEach));
  const isSpread = isDeviceChannel(channel);
  const counted = isSpread ? await findCounted(sql, candidates) : new Set<string>();
  const { armed, counting, waiting } = await armWhileThereArePlaces(sql, {
    candidates,
    counted,
    places,
    arm,
  });
  await sql.query(
    'update daily_sends set units = units + $4 where application_id = $1 and channel = $2 and day = $3',
    [...key, counting.size * unitsEach],
  );
  if (isSpread)
    await sql.query('update deliveries set counted_on = $2 where id = any($1)', [
      [...counting],
      day,
    ]);
  if (waiting.length > 0) {
    await sql.query(
      `insert into campaign_events (campaign_id, type, reason, detail) values ($1, 'campaign.spend_capped', 'spend_cap', $2)
       on conflict (campaign_id, detail) where type = 'campaign.spend_capped' do nothing`,
      [campaignId, day],
    );
  }
  return { armed, spendCapped: waiting };
}

/** Which of these deliveries are counted already, for another of their addresses; locked before their addresses are armed, as everywhere. */
async function findCounted(sql: Sql, candidates: readonly Fenced[]): Promise<Set<string>> {
  const { rows } = await sql.query<{ id: string; counted_on: string | null }>(
    'select id, counted_on from deliveries where id = any($1) order by id for update',
    [candidates.map(({ deliveryId }) => deliveryId)],
  );
  return new Set(rows.filter((row) => row.counted_on !== null).map((row) => row.id));
}

/** Each delivery takes one place, or none if it is counted; what is paused, canceled or no longer ours takes none: the next in line may have it. */
async function armWhileThereArePlaces(
  sql: Sql,
  {
    candidates,
    counted,
    places,
    arm,
  }: {
    readonly candidates: readonly Fenced[];
    readonly counted: ReadonlySet<string>;
    readonly places: number;
    readonly arm: Arm;
  },
): Promise<{
  readonly armed: Set<string>;
  readonly counting: Set<string>;
  readonly waiting: readonly Fenced[];
}> {
  const armed = new Set<string>();
  const counting = new Set<string>();
  let waiting = candidates;
  for (;;) {
    const chosen = new Set<string>([...counted, ...counting]);
    const takesPlace = ({ deliveryId }: Fenced): boolean => {
      if (!chosen.has(deliveryId) && chosen.size - counted.size < places) chosen.add(deliveryId);
      return chosen.has(deliveryId);
    };
    const next = waiting.filter(takesPlace);
    if (next.length === 0) return { armed, counting, waiting };
    waiting = waiting.filter((claim) => !chosen.has(claim.deliveryId));
    const now = await arm(sql, next);
    for (const claim of next.filter((one) => now.has(unitKey(one)))) {
      armed.add(unitKey(claim));
      if (!counted.has(claim.deliveryId)) counting.add(claim.deliveryId);
    }
  }
}

/**
 * Gives back what a send took of its day that was surely not accepted. Where a user may have several addresses, `deliveryId`
 * says whose: it is counted until all of its addresses have failed. @callers channel-worker
 */
export async function returnDailyUnits(
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
    return returnUnitsOfFailed(db, { key: [applicationId, channel, day], units, deliveryId });
  await db.sql.query(
    'update daily_sends set units = greatest(0, units - $4) where application_id = $1 and channel = $2 and day = $3',
    [applicationId, channel, day, units],
  );
}

function returnUnitsOfFailed(
  db: Database,
  {
    key,
    units,
    deliveryId,
  }: { readonly key: readonly string[]; readonly units: number; readonly deliveryId: string },
): Promise<void> {
  return db.transaction(async (sql) => {
    // The day before the delivery, as in arming.
    await sql.query(
      'select from daily_sends where application_id = $1 and channel = $2 and day = $3 for update',
      [...key],
    );
    const { rowCount } = await sql.query(
      `update deliveries set counted_on = null where id = $1 and counted_on = $2 and state = 'failed'`,
      [deliveryId, key[2]],
    );
    if (rowCount === 0) return;
    await sql.query(
      'update daily_sends set units = greatest(0, units - $4) where application_id = $1 and channel = $2 and day = $3',
      [...key, units],
    );
  });
}

const DAYS_KEPT = 3;

/** Forgets what no cap counts any more, `limit` rows of each kind at most; returns how many. @callers scheduler */
export async function forgetCountedSends(
  db: Database,
  { windowHours, limit }: { readonly windowHours: number; readonly limit: number },
): Promise<number> {
  const { rowCount: sends } = await db.sql.query(
    `delete from marketing_sends where ctid = any(array(
       select ctid from marketing_sends where armed_at < now() - $1::float8 * interval '1 hour' order by armed_at limit $2 for update skip locked))`,
    [windowHours, limit],
  );
  const { rowCount: days } = await db.sql.query(
    `delete from daily_sends where ctid = any(array(
       select ctid from daily_sends where day < to_char(now() - $1::int * interval '1 day', 'YYYY-MM-DD') limit $2 for update skip locked))`,
    [DAYS_KEPT, limit],
  );
  return (sends ?? 0) + (days ?? 0);
}
