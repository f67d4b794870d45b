import kafkajs, { type Admin, type IResourceConfigEntry } from 'kafkajs';
import type { TopicSpec } from '@tidings/contracts/topics';
import { retry } from '@tidings/platform';
import type { BusAdmin, EnsureTopicsOptions } from './bus.ts';
import { METADATA_MAX_AGE_MS, createKafkaClient, type KafkaSettings } from './kafka-client.ts';
import { isAnswerOfBroker, toBusError, withTimeout } from './kafka-errors.ts';
import { NO_WATCHDOG, type Watchdog } from './watchdog.ts';

const REQUEST_TIMEOUT_MS = 15_000;
const CALL_TIMEOUT_MS = 60_000;
/**
 * A broker that just started may not know the leaders of new topics yet. Creating missing topics
 * again is harmless.
 */
const CREATE_SCHEDULE = { attemptsMax: 6, baseMs: 250, capMs: 2_000 };

/** Kafka's number for "set on this topic", the source of a setting. */
const SET_ON_TOPIC = 1;

/** Connects on first use: most processes never need it. */
export function createKafkaAdmin(
  settings: KafkaSettings,
  watchdog: Watchdog = NO_WATCHDOG,
): BusAdmin & { disconnect(): Promise<void> } {
  const watch = watchdog.watch('admin');
  let connecting: Promise<Admin> | undefined;

  async function connect(): Promise<Admin> {
    const client = createKafkaClient(settings, {
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      retry: { initialRetryTime: 200, maxRetryTime: 2_000, retries: 5 },
    });
    const admin = client.admin({ metadataMaxAge: METADATA_MAX_AGE_MS });
    try {
      await admin.connect();
    } catch (error) {
      // Its connections may be open nevertheless: a frozen broker accepts them.
      admin.disconnect().catch(() => undefined);
      throw error;
    }
    return admin;
  }

  async function call<T>(
    topic: string | undefined,
    action: (admin: Admin) => Promise<T>,
  ): Promise<T> {
    connecting ??= connect();
    const own = connecting;
    const end = watch.begin(topic);
    try {
      const result = await withTimeout(CALL_TIMEOUT_MS, own.then(action));
      end('answered');
      return result;
    } catch (error) {
      end(isAnswerOfBroker(error) ? 'answered' : 'failed');
      // The next call reconnects: a client that lost its connection does not always recover.
      if (connecting === own) {
        connecting = undefined;
        own.then((admin) => admin.disconnect()).catch(() => undefined);
      }
      throw toBusError(error);
    }
  }

  return {
    ensureTopics: (specs, options) =>
      call(undefined, (admin) => retry(CREATE_SCHEDULE, () => ensureTopics(admin, specs, options))),
    committedOffsets: (group, topic) =>
      call(topic, async (admin) => {
        const [answer] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
        const offsets = (answer?.partitions ?? []).map(
          ({ partition, offset }) => [partition, BigInt(offset)] as const,
        );
        return new Map(offsets.filter(([, offset]) => offset >= 0n));
      }),
    topicOffsets: (topic) =>
      call(topic, async (admin) => {
        const offsets = await admin.fetchTopicOffsets(topic);
        return new Map(
          offsets.map(({ partition, low, high }) => [
            partition,
            { low: BigInt(low), high: BigInt(high) },
          ]),
        );
      }),
    async disconnect() {
      const own = connecting;
      connecting = undefined;
      await own?.then((admin) => admin.disconnect()).catch(() => undefined);
    },
  };
}

async function ensureTopics(
  admin: Admin,
  specs: readonly TopicSpec[],
  options: EnsureTopicsOptions,
): Promise<void> {
  const existing = new Set(await admin.listTopics());
  const missing = specs.filter(({ topic }) => !existing.has(topic));
  if (missing.length > 0) {
    await admin.createTopics({
      topics: missing.map((spec) => ({
        topic: spec.topic,
        numPartitions: spec.partitions,
        replicationFactor: options.replicationFactor,
        configEntries: listSettings(spec, options),
      })),
    });
  }
  await alignSettings(
    admin,
    specs.filter(({ topic }) => existing.has(topic)),
    options,
  );
}

/**
 * Updates topic settings. Altering replaces the whole set of a topic, so settings of an operator
 * are included.
 */
async function alignSettings(
  admin: Admin,
  specs: readonly TopicSpec[],
  options: EnsureTopicsOptions,
): Promise<void> {
  if (specs.length === 0) return;
  const type = kafkajs.ConfigResourceTypes.TOPIC;
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: specs.map(({ topic }) => ({ type, name: topic })),
  });
  const changes = specs.flatMap((spec) => {
    const present =
      resources.find(({ resourceName }) => resourceName === spec.topic)?.configEntries ?? [];
    const wanted = listSettings(spec, options);
    if (
      wanted.every(({ name, value }) =>
        present.some((entry) => entry.configName === name && entry.configValue === value),
      )
    )
      return [];
    const others = present
      .filter(
        (entry) =>
          Number(entry.configSource) === SET_ON_TOPIC &&
          !wanted.some(({ name }) => name === entry.configName),
      )
      .map((entry) => ({ name: entry.configName, value: entry.configValue }));
    return [{ type, name: spec.topic, configEntries: [...wanted, ...others] }];
  });
  if (changes.length > 0) await admin.alterConfigs({ validateOnly: false, resources: changes });
}

function listSettings(spec: TopicSpec, options: EnsureTopicsOptions): IResourceConfigEntry[] {
  return [
    { name: 'retention.ms', value: String(spec.retentionMs) },
    { name: 'max.message.bytes', value: String(spec.recordBytesMax) },
    { name: 'min.insync.replicas', value: String(options.minInsyncReplicas) },
    // A lagging replica must never become leader: it would drop confirmed records.
    { name: 'unclean.leader.election.enable', value: 'false' },
  ];
}
