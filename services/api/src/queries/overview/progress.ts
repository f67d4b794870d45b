import type { Sql } from '@tidings/postgres/database';

/** The setup steps of a new application. */
export type FirstSteps = {
  /** A Server key; Client keys cannot send campaigns. */
  readonly hasKey: boolean;
  readonly hasEvent: boolean;
  readonly hasUser: boolean;
  readonly hasReadyChannel: boolean;
  readonly hasCampaign: boolean;
};

export async function readFirstSteps(sql: Sql, applicationId: string): Promise<FirstSteps> {
  const { rows } = await sql.query<FirstSteps>(
    `select exists (select from api_keys where application_id = $1 and type = 'server' and revoked_at is null) as "hasKey",
            exists (select from definition_hours where application_id = $1) as "hasEvent",
            exists (select from users where application_id = $1 and registered_at is not null) as "hasUser",
            exists (select from channel_settings where application_id = $1 and status = 'ready') as "hasReadyChannel",
            exists (select from campaigns where application_id = $1 and source <> 'test') as "hasCampaign"`,
    [applicationId],
  );
  const [steps] = rows;
  if (steps === undefined) throw new Error('a row of exists');
  return steps;
}

/**
 * Unfinished deliveries of active campaigns, including ones without a row yet. `since`: creation of
 * the oldest of these campaigns.
 */
export type DeliveryBacklog = {
  readonly campaigns: number;
  readonly deliveries: number;
  readonly since: number | null;
};

const CAMPAIGNS_MAX = 5_000;

export async function readDeliveryBacklog(
  sql: Sql,
  applicationId: string,
): Promise<DeliveryBacklog> {
  const { rows } = await sql.query<{ campaigns: number; deliveries: number; since: Date | null }>(
    `with at_work as materialized (
       select id, recipients_unique, greatest(created_at, send_at) as begun_at from campaigns
       where application_id = $1 and status in ('queued', 'sending', 'paused') and lane <> 'scheduled'
         and source <> 'test' limit ${CAMPAIGNS_MAX})
     select count(*)::int as campaigns, min(w.begun_at) as since, coalesce(sum(w.recipients_unique - c.settled), 0)::float8 as deliveries
     from at_work w cross join lateral (
       select coalesce(sum(n), 0) as settled from campaign_counters where campaign_id = w.id and state not in ('pending', 'complained', 'unsubscribed')) as c`,
    [applicationId],
  );
  const [{ campaigns, deliveries, since } = { campaigns: 0, deliveries: 0, since: null }] = rows;
  return { campaigns, deliveries, since: since?.getTime() ?? null };
}
