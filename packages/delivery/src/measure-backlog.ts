import type { Channel } from '@tidings/contracts';
import type { Database } from '@tidings/postgres/database';

export type ChannelBacklog = {
  readonly channel: Channel;
  /** Recipients of campaigns at work that have no outcome yet. */
  readonly recipients: number;
  /** Since the oldest campaign with such recipients was accepted. */
  readonly oldestSeconds: number;
};

/** What each channel still has to send, of campaigns that are neither paused nor over; channels without any are left out. */
export async function measureBacklog(db: Database): Promise<ChannelBacklog[]> {
  const { rows } = await db.sql.query<ChannelBacklog>(
    `select c.channel, sum(open.n)::float8 as recipients, extract(epoch from now() - min(c.created_at))::float8 as "oldestSeconds"
     from campaigns c cross join lateral (
       select case when c.expanded_at is null then c.recipients_unique else coalesce(sum(k.n), 0) end as n
       from campaign_counters k where k.campaign_id = c.id and k.state = 'pending') open
     where c.status in ('queued', 'sending') and open.n > 0 group by c.channel`,
  );
  return rows;
}
