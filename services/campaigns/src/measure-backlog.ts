import type { BusAdmin } from '@tidings/bus';
import { CHANNELS, CONSUMER_GROUPS } from '@tidings/contracts';
import { measureBacklog } from '@tidings/delivery/measure-backlog';
import { Gauge } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { unreadOf } from './unread.ts';

const lagRecords = new Gauge({
  name: 'tidings_consumer_lag_records',
  help: 'Records of a topic that a group of consumers has not committed.',
  labelNames: ['group', 'topic'] as const,
});
const pendingRecipients = new Gauge({
  name: 'tidings_pending_recipients',
  help: 'Recipients of campaigns at work that have no outcome yet.',
  labelNames: ['channel'] as const,
});
const oldestSeconds = new Gauge({
  name: 'tidings_oldest_pending_campaign_seconds',
  help: 'Since the oldest campaign at work that has recipients without an outcome was accepted.',
  labelNames: ['channel'] as const,
});

/** Brings the gauges of what waits up to date. Every process tells the same of the whole, so nobody adds them up. */
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
    oldestSeconds.set({ channel }, backlogs.get(channel)?.oldestSeconds ?? 0);
  }
  for (const { group, topics } of CONSUMER_GROUPS) {
    for (const topic of topics) lagRecords.set({ group, topic }, await lagOf(admin, group, topic));
  }
}

async function lagOf(
  admin: Pick<BusAdmin, 'committedOffsets' | 'topicOffsets'>,
  group: string,
  topic: string,
): Promise<number> {
  const [committed, offsets] = await Promise.all([
    admin.committedOffsets(group, topic),
    admin.topicOffsets(topic),
  ]);
  return unreadOf(committed, offsets);
}
