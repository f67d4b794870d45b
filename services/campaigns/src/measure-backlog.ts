import type { BusAdmin } from '@tidings/bus';
import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { CONSUMER_GROUPS } from '@tidings/contracts/topics';
import { countSlowCampaigns } from '@tidings/delivery/slow-lane';
import { Gauge } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { countUnread } from '@tidings/chunk-dispatch/unread';

const statement = statementsIn(import.meta.dirname);

const lagRecords = new Gauge({
  name: 'tidings_consumer_lag_records',
  help: 'Records of a topic that a consumer group has not committed.',
  labelNames: ['group', 'topic'] as const,
});
const pendingRecipients = new Gauge({
  name: 'tidings_pending_recipients',
  help: 'Recipients of active campaigns without an outcome.',
  labelNames: ['channel'] as const,
});
const stalledSeconds = new Gauge({
  name: 'tidings_stalled_campaign_seconds',
  help: 'Longest time that an active campaign has had a due recipient and reached an outcome for none. Recipients held by quiet hours or a cap, or waiting for a retry, are not due, nor those of a campaign in the slow lane.',
  labelNames: ['channel'] as const,
});
const slowCampaigns = new Gauge({
  name: 'tidings_slow_segment_campaigns',
  help: 'Campaigns to a segment whose first try took too long. They wait in the slow lane, which tries one at a time, or are tried there.',
});

/** Updates the backlog gauges. Every process reports the same totals, so do not add them up. */
export async function reportBacklog({
  db,
  admin,
}: {
  readonly db: Database;
  readonly admin: Pick<BusAdmin, 'committedOffsets' | 'topicOffsets'>;
}): Promise<void> {
  const backlogs = new Map((await measureBacklog(db)).map((backlog) => [backlog.channel, backlog]));
  for (const channel of CHANNELS) {
    pendingRecipients.set({ channel }, backlogs.get(channel)?.recipients ?? 0);
    stalledSeconds.set({ channel }, backlogs.get(channel)?.stalledSeconds ?? 0);
  }
  slowCampaigns.set(await countSlowCampaigns(db));
  for (const { group, topics } of CONSUMER_GROUPS) {
    for (const topic of topics)
      lagRecords.set({ group, topic }, await readLag(admin, group, topic));
  }
}

async function readLag(
  admin: Pick<BusAdmin, 'committedOffsets' | 'topicOffsets'>,
  group: string,
  topic: string,
): Promise<number> {
  const [committed, offsets] = await Promise.all([
    admin.committedOffsets(group, topic),
    admin.topicOffsets(topic),
  ]);
  return countUnread(committed, offsets);
}

type ChannelBacklog = {
  readonly channel: Channel;
  /** Recipients of active campaigns without an outcome. */
  readonly recipients: number;
  /**
   * How long the campaign that stalled first has had a due recipient without reaching an outcome
   * for any. 0 if none has stalled for a minute.
   */
  readonly stalledSeconds: number;
};

/**
 * The unsent recipients per channel, of campaigns neither paused nor ended. Channels without any
 * are left out.
 */
async function measureBacklog(db: Database): Promise<ChannelBacklog[]> {
  const { rows } = await db.sql.query<ChannelBacklog>(statement('measure-backlog'));
  return rows;
}
