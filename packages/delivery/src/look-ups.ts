import type { Channel } from '@tidings/contracts';
import { CONTACTS_OF } from '@tidings/people/contacts';
import type { Database } from '@tidings/postgres/database';
import { isWrittenAhead } from '@tidings/postgres/written-ahead';

/** A delivery whose outcome is unknown, with what its provider can be asked by. */
export type UnknownDelivery = {
  readonly deliveryId: string;
  readonly fence: number;
  readonly applicationId: string;
  readonly campaignId: string;
  readonly testAddress: string | null;
  readonly profile: Readonly<Record<string, unknown>>;
  readonly message: Readonly<Record<string, unknown>>;
  /** It cannot have been sent before. Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Nor after this. */
  readonly unknownSince: number;
  /** Other deliveries of the application whose outcome is open and that could be taken for this one: same channel, number and message. */
  readonly rivals: number;
  /** Of its campaign, where that is traced. */
  readonly traceparent?: string;
};

const ROWS_MAX = 50;
/** SQL of the deliveries `d` whose outcome is open: unknown for good, or until it is time to send again. */
const IN_DOUBT = `d.state in ('unknown', 'retry_wait') and d.reason = 'outcome_unknown'`;

/** SQL of the deliveries `o` of a campaign `oc` that may be what the provider shows, of a message like that of the campaign `c` of `t`. */
const LIKE_IT = `oc.application_id = t.application_id and oc.channel = t.channel and oc.message ->> 'body' = c.message ->> 'body'
  and (o.state in ('sending', 'unknown') or (o.state in ('retry_wait', 'claimed') and o.reason = 'outcome_unknown'))`;
const ADDRESS = `coalesce(t.test_address, u.phone_e164)`;

/**
 * SQL of the rivals of `t`, whose user is `u`: to its address in campaigns at work, or whose outcome is open; each part
 * by its own key, and test sends, which are few, by their campaigns.
 */
const RIVALS = `
  select o.id from users ou join campaigns oc on oc.status in ('sending', 'paused') or oc.id in (select k.campaign_id from campaign_chunks k where k.pending_action is not null)
  join deliveries o on o.campaign_id = oc.id and o.custom_user_id = ou.custom_user_id
  where ou.application_id = t.application_id and ou.phone_e164 = ${ADDRESS} and o.test_address is null and ${LIKE_IT}
  union
  select o.id from users ou join open_outcomes open on open.user_id = ou.id join deliveries o on o.id = open.delivery_id join campaigns oc on oc.id = o.campaign_id
  where ou.application_id = t.application_id and ou.phone_e164 = ${ADDRESS} and ${LIKE_IT}
  union
  select o.id from campaigns oc join deliveries o on o.campaign_id = oc.id and o.test_address = ${ADDRESS}
  where oc.status in ('sending', 'paused') and oc.source = 'test' and ${LIKE_IT}
  union
  select o.id from open_outcomes open join deliveries o on o.id = open.delivery_id and o.test_address = ${ADDRESS} join campaigns oc on oc.id = o.campaign_id
  where open.user_id is null and ${LIKE_IT}`;

export type LookUpTimes = {
  /** Callbacks come first: nothing is asked before this time. */
  readonly afterMs: number;
  /** Between two questions about one delivery. */
  readonly everyMs: number;
  /** What nobody knows by then stays unknown. */
  readonly untilMs: number;
};

/** Deliveries to ask the provider about, each taken by one worker at a time. @callers channel-worker */
export async function takeUnknownDeliveries(
  db: Database,
  channel: Channel,
  { afterMs, everyMs, untilMs }: LookUpTimes,
): Promise<UnknownDelivery[]> {
  const { rows } = await db.sql.query<UnknownRow>(
    `with due as (
       select d.id from open_outcomes open join deliveries d on d.id = open.delivery_id
       where open.channel = $1 and (open.since <= now() - $2::float8 * interval '1 ms' or ${isWrittenAhead('open.since')})
         and open.since > now() - $4::float8 * interval '1 ms'
         and ${IN_DOUBT} and (d.looked_up_at is null or d.looked_up_at <= now() - $3::float8 * interval '1 ms' or ${isWrittenAhead('d.looked_up_at')})
       order by open.since limit ${ROWS_MAX} for update of d skip locked),
     taken as (update deliveries d set looked_up_at = now() from due where d.id = due.id returning d.*)
     select t.id, t.fence, t.application_id, t.campaign_id, t.test_address, ${CONTACTS_OF} as profile, c.message, c.traceparent, t.created_at, t.updated_at,
       (select count(*)::int from (${RIVALS}) rivals where id <> t.id) as rivals
     from taken t join campaigns c on c.id = t.campaign_id left join users u on u.id = t.user_id`,
    [channel, afterMs, everyMs, untilMs],
  );
  return rows.map((row) => ({
    deliveryId: row.id,
    fence: row.fence,
    applicationId: row.application_id,
    campaignId: row.campaign_id,
    testAddress: row.test_address,
    profile: row.profile,
    message: row.message,
    createdAt: row.created_at.getTime(),
    unknownSince: row.updated_at.getTime(),
    rivals: row.rivals,
    ...(row.traceparent !== null && { traceparent: row.traceparent }),
  }));
}

type UnknownRow = {
  readonly id: string;
  readonly fence: number;
  readonly application_id: string;
  readonly campaign_id: string;
  readonly test_address: string | null;
  readonly profile: Record<string, unknown>;
  readonly message: Record<string, unknown>;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly rivals: number;
  readonly traceparent: string | null;
};

/** Which of the provider's ids are those of deliveries that are known already. */
export async function knownProviderIds(
  db: Database,
  providerIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.sql.query<{ provider_id: string }>(
    'select provider_id from provider_ids where provider_id = any($1)',
    [providerIds],
  );
  return new Set(rows.map((row) => row.provider_id));
}

const OUTCOMES_OPEN_HOURS = 24;

/** Forgets that outcomes were once open; which are is told by the deliveries themselves. Returns how many. @callers scheduler */
export async function forgetOpenOutcomes(db: Database, limit: number): Promise<number> {
  const { rowCount } = await db.sql.query(
    `delete from open_outcomes where delivery_id = any(array(
       select delivery_id from open_outcomes where since < now() - ${OUTCOMES_OPEN_HOURS} * interval '1 hour' order by since limit $1 for update skip locked))`,
    [limit],
  );
  return rowCount ?? 0;
}

/**
 * Forgets ids as old as deliveries that are forgotten: no outcome is open any more whose message could have one of them.
 * Returns how many. @callers scheduler
 */
export async function forgetProviderIds(
  db: Database,
  { days, limit }: { readonly days: number; readonly limit: number },
): Promise<number> {
  const { rowCount } = await db.sql.query(
    `delete from provider_ids where provider_id = any(array(select provider_id from provider_ids where known_at < now() - $1 * interval '1 day' limit $2 for update skip locked))`,
    [days, limit],
  );
  return rowCount ?? 0;
}
