import { systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { Sizes } from './sizes.ts';

/** One campaign a day. */
const DAYS = 90;

/**
 * Writes the messages of a campaign of each day, the oldest first, to users in turn. Two campaigns of
 * three go by e-mail, the others by SMS; three of four are marketing.
 */
export async function seedMessages(
  db: Database,
  applicationId: string,
  { users, messages }: Pick<Sizes, 'users' | 'messages'>,
): Promise<void> {
  console.error(`${messages} messages …`);
  const recipients = Math.min(users, Math.ceil(messages / DAYS));
  for (let day = 0; day < DAYS; day += 1) {
    const campaignId = systemIds.uuid();
    const channel = day % 3 < 2 ? 'EMAIL' : 'SMS';
    const purpose = day % 4 < 3 ? 'marketing' : 'transactional';
    const daysAgo = DAYS - day;
    await db.sql.query(CAMPAIGN, [
      campaignId,
      applicationId,
      channel,
      purpose,
      recipients,
      systemIds.uuid(),
      daysAgo,
    ]);
    await db.sql.query(DELIVERIES, [
      campaignId,
      applicationId,
      channel,
      recipients,
      day * recipients,
      users,
      daysAgo,
    ]);
  }
  await db.sql.query('vacuum analyze campaigns, deliveries');
}

const CAMPAIGN = `
  insert into campaigns (id, application_id, channel, purpose, lane, source, status, message, recipients_requested, recipients_unique, created_by, request_id, created_at, expires_at, started_at, expanded_at, completed_at)
  select $1, $2, $3, $4, 'bulk', 'api', 'completed', '{"title": "Hello", "body": "Hello"}', $5, $5, 'key:Bench', $6, at, at + interval '3 days', at, at, at
  from (select now() - interval '1 day' * $7::int as at) x`;

/** Half of them were opened, one in ten was clicked. Their ids have the time of the campaign. */
const DELIVERIES = `
  insert into deliveries (id, campaign_id, chunk_no, application_id, channel, custom_user_id, user_id, state, fence, attempts, provider_code, provider_message, created_at, sent_at, opened_at, clicked_at, updated_at)
  select uuidv7(at - now()), $1, n / 200, $2, $3, u.custom_user_id, u.id, 'sent', 1, 1, '250', '250 2.0.0 queued', at,
         at + interval '1 minute', case when n % 2 = 0 then at + interval '1 hour' end,
         case when n % 10 = 0 then at + interval '1 hour' end, at
  from (select now() - interval '1 day' * $7::int as at) x
  cross join generate_series(0, $4::int - 1) as n
  join users u on u.application_id = $2
    and u.custom_user_id = 'user-' || lpad((($5::int + n) % $6::int)::text, 8, '0')`;
