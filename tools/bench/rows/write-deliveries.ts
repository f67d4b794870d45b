import { systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';

/** The most recipients that one push may have. */
const RECIPIENTS_MAX = 100_000;

const CAMPAIGN = `
  insert into campaigns (id, application_id, channel, lane, purpose, source, status, message, recipients_requested, recipients_unique, created_by, request_id, created_at, expires_at, started_at, expanded_at, completed_at, p50_ms, p95_ms)
  values ($1, $2, 'EMAIL', 'bulk', 'transactional', 'api', 'completed', '{"title": "Hello", "body": "Hello"}', $3, $3, 'key:Bench', $4, now() - interval '1 day', now() + interval '3 days', now() - interval '1 day', now() - interval '1 day', now() - interval '1 day', 9000, 17000)`;

const CHUNKS = `
  insert into campaign_chunks (campaign_id, chunk_no, expanded_at, lane)
  select $1, n, now() - interval '1 day', 'bulk' from generate_series(0, ($2::int - 1) / 200) as n`;

const DELIVERIES = `
  with added as (
    insert into deliveries (campaign_id, chunk_no, application_id, channel, custom_user_id, user_id, state, fence, attempts, provider_code, provider_message, created_at, sent_at, updated_at)
    select $1, n / 200, $2, 'EMAIL', u.custom_user_id, u.id, 'sent', 1, 1, '250', '250 2.0.0 queued',
           now() - interval '1 day', now() - interval '1 day', now() - interval '1 day'
    from generate_series(0, $3::int - 1) as n
    join users u on u.application_id = $2
      and u.custom_user_id = 'user-' || lpad((($4::int + n) % $5::int)::text, 8, '0')
    returning id)
  insert into campaign_events (campaign_id, at, type, delivery_id, attempt, status, provider_code, detail, fence, outcome, duration_ms)
  select $1, now() - interval '1 day', 'delivery.sent', id, 1, 'sent', '250', '250 2.0.0 queued', 1, 'sent', 12 from added`;

const COUNTERS = `
  insert into campaign_counters (campaign_id, state, reason, shard, n, first_at, last_at)
  values ($1, 'sent', '', 0, $2, now() - interval '1 day', now() - interval '1 day')`;

/** Completed e-mail campaigns to the users in turn, each with its event log. */
export async function writeDeliveries(
  db: Database,
  {
    applicationId,
    count,
    users,
  }: { readonly applicationId: string; readonly count: number; readonly users: number },
): Promise<void> {
  for (let from = 0, recipients = 0; from < count; from += recipients) {
    recipients = Math.min(RECIPIENTS_MAX, count - from, users);
    const campaignId = systemIds.uuid();
    await db.sql.query(CAMPAIGN, [campaignId, applicationId, recipients, systemIds.uuid()]);
    await db.sql.query(CHUNKS, [campaignId, recipients]);
    await db.sql.query(DELIVERIES, [campaignId, applicationId, recipients, from, users]);
    await db.sql.query(COUNTERS, [campaignId, recipients]);
  }
}
