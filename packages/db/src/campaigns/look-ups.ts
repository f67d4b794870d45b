import type { Channel } from '@tidings/contracts';
import { CONTACTS_OF } from '../contacts.ts';
import type { Database } from '../database.ts';

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
};

const ROWS_MAX = 50;
/** SQL of the deliveries `d` whose outcome is open: unknown for good, or until it is time to send again. */
const IN_DOUBT = `d.state in ('unknown', 'retry_wait') and d.reason = 'outcome_unknown'`;

export type LookUpTimes = {
  /** Callbacks come first: nothing is asked before this time. */
  readonly afterMs: number;
  /** Between two questions about one delivery. */
  readonly everyMs: number;
  /** What nobody knows by then stays unknown. */
  readonly untilMs: number;
};

/** Deliveries to ask the provider about, each taken by one worker at a time. @callers channel-worker */
export async function takeUnknownDeliveries(db: Database, channel: Channel, { afterMs, everyMs, untilMs }: LookUpTimes): Promise<UnknownDelivery[]> {
  const { rows } = await db.sql.query<UnknownRow>(
    `with due as (
       select d.id from deliveries d
       where d.channel = $1 and ${IN_DOUBT} and d.updated_at <= now() - $2::float8 * interval '1 ms'
         and d.updated_at > now() - $4::float8 * interval '1 ms'
         and (d.looked_up_at is null or d.looked_up_at <= now() - $3::float8 * interval '1 ms')
       order by d.updated_at limit ${ROWS_MAX} for update skip locked),
     taken as (update deliveries d set looked_up_at = now() from due where d.id = due.id returning d.*)
     select t.id, t.fence, t.application_id, t.campaign_id, t.test_address, ${CONTACTS_OF} as profile, c.message, t.created_at, t.updated_at,
       (select count(*)::int from deliveries o join campaigns oc on oc.id = o.campaign_id left join users ou on ou.id = o.user_id
        where o.id <> t.id and o.application_id = t.application_id and o.channel = t.channel and (o.state in ('sending', 'unknown') or (o.state in ('retry_wait', 'claimed') and o.reason = 'outcome_unknown'))
          and coalesce(o.test_address, ou.phone_e164) = coalesce(t.test_address, u.phone_e164) and oc.message ->> 'body' = c.message ->> 'body') as rivals
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
};

/** Which of the provider's ids are those of deliveries that are known already. */
export async function knownProviderIds(db: Database, providerIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await db.sql.query<{ provider_id: string }>('select provider_id from deliveries where provider_id = any($1)', [providerIds]);
  return new Set(rows.map((row) => row.provider_id));
}
