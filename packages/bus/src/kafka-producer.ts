import { setTimeout as delay } from 'node:timers/promises';
import type { ICustomPartitioner, Message, RecordMetadata } from 'kafkajs';
import {
  BusUnavailableError,
  type OutgoingRecord,
  type Producer,
  type RecordPosition,
} from './bus.ts';
import { METADATA_MAX_AGE_MS, createKafkaClient, type KafkaSettings } from './kafka-client.ts';
import { isAnswerOfBroker, toBusError, withTimeout } from './kafka-errors.ts';
import { choosePartition } from '@tidings/partitioned-log/partitioner';
import { producedRecords, produceSeconds } from './produce-metrics.ts';
import { splitBySize } from './record-size.ts';
import { traceProduce } from './traces.ts';
import { NO_WATCHDOG, type Watchdog } from './watchdog.ts';

const ACKS_ALL_IN_SYNC = -1;
const RECONNECT_INTERVAL_MS = 500;

/**
 * A producer that confirms a record only when all in-sync replicas have it. It connects in the
 * background: a service starts also while Kafka is unavailable, and its produce calls fail as
 * unavailable until then.
 */
export function createKafkaProducer(
  settings: KafkaSettings,
  watchdog: Watchdog = NO_WATCHDOG,
): Producer {
  const { requestTimeoutMs, logger } = settings;
  const client = createKafkaClient(settings, {
    requestTimeoutMs,
    retry: { initialRetryTime: 100, maxRetryTime: 500, retries: 2 },
  });
  const producer = client.producer({
    allowAutoTopicCreation: false,
    // The idempotent producer of kafkajs reuses a sequence number after a lost response. Downstream
    // code tolerates duplicates.
    idempotent: false,
    metadataMaxAge: METADATA_MAX_AGE_MS,
    createPartitioner,
    retry: { initialRetryTime: 100, maxRetryTime: 500, retries: 5 },
  });
  const watch = watchdog.watch('producer');
  const stopping = new AbortController();
  let isConnected = false;
  let failure: unknown;

  async function tryConnect(): Promise<void> {
    const end = watch.begin();
    try {
      await producer.connect();
      isConnected = true;
      end('answered');
      if (failure !== undefined) logger.info({}, 'kafka is reachable');
    } catch (error) {
      end('failed');
      if (failure === undefined) logger.warn({ err: error }, 'kafka is unreachable, retrying');
      failure = error;
    }
  }

  async function connectWithRetries(): Promise<void> {
    await firstTry;
    while (!isConnected && !stopping.signal.aborted) {
      await delay(RECONNECT_INTERVAL_MS, undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
      if (!stopping.signal.aborted) await tryConnect();
    }
  }

  const firstTry = tryConnect();
  const connecting = connectWithRetries();

  /** Waits only for the first attempt: after it failed, callers get an error at once. */
  async function checkConnected(): Promise<void> {
    if (isConnected) return;
    await withTimeout(requestTimeoutMs, firstTry);
    if (!isConnected)
      throw new BusUnavailableError('no broker has been reached yet', { cause: failure });
  }

  async function send(
    topic: string,
    records: readonly OutgoingRecord[],
    timeoutMs: number,
  ): Promise<readonly RecordPosition[]> {
    const messages = records.map(toMessage);
    const sent = producer.send({
      topic,
      messages,
      acks: ACKS_ALL_IN_SYNC,
      timeout: requestTimeoutMs,
    });
    return listPositions(topic, messages, await withTimeout(timeoutMs, sent));
  }

  async function produce(
    topic: string,
    records: readonly OutgoingRecord[],
  ): Promise<readonly RecordPosition[]> {
    const stopTimer = produceSeconds.startTimer({ topic });
    const deadlineAt = performance.now() + 2 * requestTimeoutMs;
    const positions: RecordPosition[] = [];
    const end = watch.begin(topic);
    try {
      await checkConnected();
      // Sequential, so records with the same key keep their order.
      for (const part of splitBySize(records)) {
        const timeoutMs = deadlineAt - performance.now();
        if (timeoutMs <= 0)
          throw new BusUnavailableError('the records were not all written in time');
        positions.push(...(await send(topic, part, timeoutMs)));
      }
      end('answered');
    } catch (cause) {
      const error = toBusError(cause);
      end(isAnswerOfBroker(error) ? 'answered' : 'failed');
      const outcome = error instanceof BusUnavailableError ? 'unavailable' : 'refused';
      producedRecords.inc({ topic, outcome }, records.length - positions.length);
      throw error;
    } finally {
      producedRecords.inc({ topic, outcome: 'written' }, positions.length);
      stopTimer();
    }
    return positions;
  }

  return {
    produce: (topic, records) =>
      traceProduce('kafka', { topic, records }, (traced) => produce(topic, traced)),
    async disconnect() {
      stopping.abort();
      // After a running attempt: a connection opened later would stay open.
      const disconnected = connecting.then(() => producer.disconnect());
      await withTimeout(2 * requestTimeoutMs, disconnected);
    },
  };
}

/**
 * Stores the choice in the message: a retry inside kafkajs must not move it to another partition.
 */
const createPartitioner: ICustomPartitioner = () => {
  let keylessCount = 0;
  return ({ message, partitionMetadata }) => {
    if (message.partition !== undefined) return message.partition;
    if (message.key === null || message.key === undefined) {
      const led = partitionMetadata.filter(({ leader }) => leader >= 0);
      const candidates = led.length > 0 ? led : partitionMetadata;
      message.partition = candidates[keylessCount % candidates.length]?.partitionId ?? 0;
      keylessCount += 1;
    } else {
      message.partition = choosePartition(Buffer.from(message.key), partitionMetadata.length);
    }
    return message.partition;
  };
};

function toMessage({ key, value, headers }: OutgoingRecord): Message {
  return { key, value, headers: { ...headers } };
}

/** @throws BusUnavailableError if the response omits a partition (as in kafkajs issue 1303) */
function listPositions(
  topic: string,
  messages: readonly Message[],
  answers: readonly RecordMetadata[],
): RecordPosition[] {
  const nextOffsets = new Map<number, bigint>();
  for (const { topicName, partition, errorCode, baseOffset } of answers) {
    if (topicName === topic && errorCode === 0 && baseOffset !== undefined)
      nextOffsets.set(partition, BigInt(baseOffset));
  }
  return messages.map(({ partition }) => {
    const offset = partition === undefined ? undefined : nextOffsets.get(partition);
    if (partition === undefined || offset === undefined || offset < 0n) {
      throw new BusUnavailableError('the broker did not confirm every partition');
    }
    nextOffsets.set(partition, offset + 1n);
    return { partition, offset };
  });
}
