import { CHANNEL_SLUGS, CHANNELS, LANES, type Channel, type Lane } from './channels/channels.ts';

/** The only definition of topic names. */
export const TOPICS = {
  /** One record per accepted `POST /`: the request body. */
  ingest: 'ingest',
  /** One record per accepted campaign: its id. Best effort; the sweep finds campaigns without one. */
  campaigns: 'campaigns',
  /** What automations react to. In Postgres with either bus. */
  userChanges: 'user-changes',
} as const;

/** The topic of the dispatch records of one channel and lane; each names a chunk of deliveries. */
export function dispatchTopic(channel: Channel, lane: Lane): string {
  return `dispatch.${CHANNEL_SLUGS[channel]}.${lane}`;
}

/** Name of the worker of a channel: its service, and its consumer group for both lanes. */
export function workerName(channel: Channel): string {
  return `worker-${CHANNEL_SLUGS[channel]}`;
}

/** All consumer groups of the bus with their topics. */
export const CONSUMER_GROUPS: readonly {
  readonly group: string;
  readonly topics: readonly string[];
}[] = [
  { group: 'users-consumer', topics: [TOPICS.ingest] },
  { group: 'events-consumer', topics: [TOPICS.ingest] },
  { group: 'campaigns', topics: [TOPICS.campaigns] },
  ...CHANNELS.map((channel) => ({
    group: workerName(channel),
    topics: LANES.map((lane) => dispatchTopic(channel, lane)),
  })),
];

/** What has its cursors in `TOPICS.userChanges`. */
export const AUTOMATIONS_GROUP = 'automations';

/** All groups that may read the log in Postgres: those of the bus, and those of its own topics. */
export const LOG_GROUPS: typeof CONSUMER_GROUPS = [
  ...CONSUMER_GROUPS,
  { group: AUTOMATIONS_GROUP, topics: [TOPICS.userChanges] },
];

export type TopicSpec = {
  readonly topic: string;
  readonly partitions: number;
  readonly retentionMs: number;
  readonly recordBytesMax: number;
};

const DAY_MS = 86_400_000;

/** All topics of the bus with their settings; `deploy/install` creates missing ones. */
export const TOPIC_SPECS: readonly TopicSpec[] = [
  { topic: TOPICS.ingest, partitions: 6, retentionMs: 7 * DAY_MS, recordBytesMax: 2 * 1024 * 1024 },
  { topic: TOPICS.campaigns, partitions: 3, retentionMs: 7 * DAY_MS, recordBytesMax: 1024 * 1024 },
  ...CHANNELS.flatMap((channel) =>
    LANES.map((lane) => ({
      topic: dispatchTopic(channel, lane),
      partitions: 3,
      retentionMs: 7 * DAY_MS,
      recordBytesMax: 1024 * 1024,
    })),
  ),
];

/** One partition for each shard of people. */
export const USER_CHANGES: TopicSpec = {
  topic: TOPICS.userChanges,
  partitions: 16,
  retentionMs: 7 * DAY_MS,
  recordBytesMax: 1024 * 1024,
};

/** Topics that are in Postgres with either bus: what they carry commits with rows. */
export const LOG_TOPIC_SPECS: readonly TopicSpec[] = [USER_CHANGES];
