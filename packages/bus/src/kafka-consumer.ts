import { setTimeout as delay } from 'node:timers/promises';
import type { EachBatchPayload } from 'kafkajs';
import { declareCounters, logBatchFailures, runBatch } from './batch-run.ts';
import type { ConsumeOptions, Consumer } from './bus.ts';
import { toFetchedBatch } from './kafka-batch.ts';
import { METADATA_MAX_AGE_MS, createKafkaClient, type KafkaSettings } from './kafka-client.ts';
import { toBusError, withTimeout } from './kafka-errors.ts';
import { Leases } from './leases.ts';
import { createLiveness } from './liveness.ts';
import { watchMembership } from './membership.ts';
import { createSlots } from './slots.ts';
import { traceBatch } from './traces.ts';

const REQUEST_TIMEOUT_MS = 15_000;
/** How long a start waits for Kafka before it continues in the background. */
const CONNECT_WAIT_MS = 2_000;
const RECONNECT_INTERVAL_MS = 500;
const STOP_TIMEOUT_MS = 20_000;
const PARTITIONS_CONCURRENTLY = 4;
/**
 * Maximum poll time. Rejoining and stopping wait for it; kafkajs's default of 5 s makes both slow.
 */
const POLL_MS = 300;
/** More than the partitions of a group per broker: `slots` is the real bound. */
const KAFKAJS_WORKERS = 64;
const BACKOFF = { baseMs: 250, capMs: 10_000 };

/**
 * Default of `waitForBatchMs`. kafkajs fetches the partitions of a broker together and waits for
 * all their record batches, so a slow one would delay the others. A longer one continues in the
 * background, and its partition is not fetched until it ends.
 */
const WAIT_FOR_BATCH_MS = 500;

/**
 * The consumer loop. kafkajs fetches, keeps the membership and carries commits. This code decides
 * what happens with a record batch, in which order, how often, and when it is committed.
 * While Kafka is unavailable it keeps connecting in the background, and counts as alive as long as
 * it tries.
 * @throws BusUnavailableError if a broker responds but the group cannot be joined, for example
 * without its topics
 */
export async function startKafkaConsumer(
  ofBus: KafkaSettings,
  options: ConsumeOptions,
): Promise<Consumer> {
  const logger = (options.logger ?? ofBus.logger).child({ group: options.group });
  const settings = { ...ofBus, logger };
  declareCounters(options.group, options.topics);
  const leases = new Leases();
  const liveness = createLiveness({
    silenceMs: settings.sessionTimeoutMs + settings.rebalanceTimeoutMs + REQUEST_TIMEOUT_MS,
    stallMs: settings.handlerStallMs,
  });
  const client = createKafkaClient(settings, {
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    retry: { initialRetryTime: 200, maxRetryTime: 2_000, retries: 8 },
    onComplaint: () => liveness.client(),
  });
  const kafka = client.consumer({
    groupId: options.group,
    sessionTimeout: settings.sessionTimeoutMs,
    rebalanceTimeout: settings.rebalanceTimeoutMs,
    heartbeatInterval: settings.heartbeatIntervalMs,
    maxWaitTimeInMs: options.gather?.waitMs ?? POLL_MS,
    minBytes: options.gather?.bytes ?? 1,
    maxBytesPerPartition: 1024 * 1024,
    maxBytes: 8 * 1024 * 1024,
    metadataMaxAge: METADATA_MAX_AGE_MS,
    allowAutoTopicCreation: false,
    readUncommitted: false,
    // Long enough to survive an outage as the same member: a new member waits until its own old
    // session times out.
    retry: {
      initialRetryTime: 200,
      maxRetryTime: 2_000,
      retries: 100,
      restartOnFailure: () => Promise.resolve(true),
    },
  });
  const slots = createSlots(options.partitionsConcurrently ?? PARTITIONS_CONCURRENTLY);
  const running = new Map<string, Promise<void>>();
  let isStopping = false;

  async function eachBatch(payload: EachBatchPayload): Promise<void> {
    if (isStopping) {
      payload.pause();
      return;
    }
    const fetched = toFetchedBatch(payload, leases, (error) =>
      logger.warn({ err: error }, 'commit failed, retrying'),
    );
    // Fetched batches may have waited: a heartbeat detects a lost membership, which kafkajs
    // handles.
    await fetched.heartbeat();
    const { topic, partition } = fetched;
    const id = `${topic}/${partition}`;
    const run = (running.get(id) ?? Promise.resolve())
      .then(() =>
        runBatch(fetched, {
          group: options.group,
          slots,
          backoff: BACKOFF,
          handle: (batch) =>
            traceBatch('kafka', { batch, group: options.group }, (traced) =>
              options.handleBatch(traced),
            ),
          onProgress: (isHandling) => liveness.handler(id, isHandling),
          onFailure: logBatchFailures(logger, { topic, partition }),
        }),
      )
      .finally(() => {
        if (running.get(id) === run) running.delete(id);
      });
    running.set(id, run);
    if (await isDoneWithin(options.waitForBatchMs?.(topic) ?? WAIT_FOR_BATCH_MS, run)) return;
    const resume = payload.pause();
    void run.then(resume);
  }

  const stopWatching = watchMembership(kafka, {
    leases,
    liveness,
    logger,
    group: options.group,
    sessionTimeoutMs: settings.sessionTimeoutMs,
  });

  async function connectWithRetries(): Promise<void> {
    while (!isStopping) {
      try {
        await kafka.connect();
        return;
      } catch (error) {
        logger.warn({ err: error }, 'kafka is unreachable, retrying');
        await delay(RECONNECT_INTERVAL_MS);
      }
    }
  }

  async function join(): Promise<void> {
    await kafka.subscribe({ topics: [...options.topics], fromBeginning: true });
    await kafka.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: KAFKAJS_WORKERS,
      eachBatch,
    });
  }

  async function joinLater(): Promise<void> {
    await connecting;
    try {
      // A connection opened after the stop would stay open.
      await (isStopping ? kafka.disconnect() : join());
    } catch (error) {
      if (isStopping) return;
      liveness.crash();
      logger.error({ err: error }, 'the group cannot be joined');
    }
  }

  const connecting = connectWithRetries();
  if (await isDoneWithin(CONNECT_WAIT_MS, connecting)) {
    try {
      await join();
    } catch (error) {
      stopWatching();
      kafka.disconnect().catch(() => undefined);
      throw toBusError(error);
    }
  } else {
    void joinLater();
  }

  return {
    async stop() {
      isStopping = true;
      leases.end('the consumer stops');
      // kafkajs continues meanwhile, so membership and commits outlast the handlers.
      await Promise.all(running.values());
      liveness.stop();
      await withTimeout(STOP_TIMEOUT_MS, kafka.disconnect()).catch((error: unknown) =>
        logger.warn({ err: error }, 'leaving the group failed'),
      );
      stopWatching();
    },
    isAlive: () => liveness.isAlive(),
  };
}

async function isDoneWithin(timeoutMs: number, run: Promise<void>): Promise<boolean> {
  const waiting = new AbortController();
  const timeout = delay(timeoutMs, false, { signal: waiting.signal });
  timeout.catch(() => undefined);
  try {
    return await Promise.race([run.then(() => true), timeout]);
  } finally {
    waiting.abort();
  }
}
