import { setTimeout as delay } from 'node:timers/promises';
import type { EachBatchPayload } from 'kafkajs';
import { logBatchFailures, runBatch } from './batch-run.ts';
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
/** How long a start waits for Kafka; after that it goes on in the background. */
const CONNECT_WAIT_MS = 2_000;
const RECONNECT_INTERVAL_MS = 500;
const STOP_TIMEOUT_MS = 20_000;
const PARTITIONS_CONCURRENTLY = 4;
/** The longest poll. Rejoining and stopping wait for it; kafkajs's own 5 s make both slow. */
const POLL_MS = 300;
/** More than a broker has partitions of one group: our own slots are the bound. */
const KAFKAJS_WORKERS = 64;
const BACKOFF = { baseMs: 250, capMs: 10_000 };

/**
 * kafkajs fetches a broker's partitions together and waits for all their batches: one slow batch would hold up the others.
 * A batch that takes longer than this, unless its consumer names another time, goes on by itself, its partition paused until it ends.
 */
const DETACH_AFTER_MS = 500;

/**
 * THE loop. kafkajs fetches, keeps the membership and carries commits; what is done with a batch, in which order,
 * how often and when it is committed is decided here.
 * While Kafka is away it keeps connecting in the background; it is alive as long as it tries.
 * @throws BusUnavailableError when a broker answers but the group cannot be joined, as without its topics
 */
export async function startKafkaConsumer(
  settings: KafkaSettings,
  options: ConsumeOptions,
): Promise<Consumer> {
  const logger = settings.logger.child({ group: options.group });
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
    // Long enough to sit out an outage as the same member: one that starts anew waits for its own old session to time out.
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
      logger.warn({ err: error }, 'commit failed, trying again'),
    );
    // Fetched batches may have waited: a lost membership shows here, and is kafkajs's to handle.
    await fetched.heartbeat();
    const { topic, partition } = fetched;
    const id = `${topic}/${partition}`;
    const run = (running.get(id) ?? Promise.resolve())
      .then(() =>
        runBatch(fetched, {
          slots,
          backoff: BACKOFF,
          handle: (batch) =>
            traceBatch(batch, options.group, (traced) => options.handleBatch(traced)),
          onProgress: (isHandling) => liveness.handler(id, isHandling),
          onFailure: logBatchFailures(logger, { topic, partition }),
        }),
      )
      .finally(() => {
        if (running.get(id) === run) running.delete(id);
      });
    running.set(id, run);
    if (await isDoneWithin(options.detachAfterMs?.(topic) ?? DETACH_AFTER_MS, run)) return;
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

  async function connectInTheEnd(): Promise<void> {
    while (!isStopping) {
      try {
        await kafka.connect();
        return;
      } catch (error) {
        logger.warn({ err: error }, 'kafka cannot be reached, trying again');
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
      // A connection made after the stop would stay open.
      await (isStopping ? kafka.disconnect() : join());
    } catch (error) {
      if (isStopping) return;
      liveness.crash();
      logger.error({ err: error }, 'the group cannot be joined');
    }
  }

  const connecting = connectInTheEnd();
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
      // kafkajs goes on meanwhile, so that membership and commits outlast the handlers.
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
