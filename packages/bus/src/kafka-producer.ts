import { setTimeout as delay } from 'node:timers/promises';
import type { ICustomPartitioner, Message, RecordMetadata } from 'kafkajs';
import { Counter, Histogram } from '@tidings/platform';
import {
  BusUnavailableError,
  type OutgoingRecord,
  type Producer,
  type RecordPosition,
} from './bus.ts';
import { METADATA_MAX_AGE_MS, createKafkaClient, type KafkaSettings } from './kafka-client.ts';
import { isAnswerOfBroker, toBusError, withTimeout } from './kafka-errors.ts';
import { partitionOf } from './partitioner.ts';
import { splitBySize } from './record-size.ts';
import { traceProduce } from './traces.ts';
import { NO_WATCHDOG, type Watchdog } from './watchdog.ts';

const producedRecords = new Counter({
  name: 'bus_produced_records_total',
  help: 'Records given to the broker, by outcome: written, refused or unavailable.',
  labelNames: ['topic', 'outcome'],
});
const produceSeconds = new Histogram({
  name: 'bus_produce_seconds',
  help: 'Time of one produce call.',
  labelNames: ['topic'],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 10],
});

const ACKS_ALL_IN_SYNC = -1;
const RECONNECT_INTERVAL_MS = 500;

/**
 * A producer that confirms only what all in-sync replicas have. It connects in the background, for as long as that takes:
 * a service that starts while Kafka is away starts all the same, and its produce calls are unavailable until then.
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
    // An idempotent producer of kafkajs uses a sequence number again after a lost answer; duplicates are harmless downstream.
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
      if (failure !== undefined) logger.info({}, 'kafka reached');
    } catch (error) {
      end('failed');
      if (failure === undefined)
        logger.warn({ err: error }, 'kafka cannot be reached, trying again');
      failure = error;
    }
  }

  async function connectInTheEnd(): Promise<void> {
    await firstTry;
    while (!isConnected && !stopping.signal.aborted) {
      await delay(RECONNECT_INTERVAL_MS, undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
      if (!stopping.signal.aborted) await tryConnect();
    }
  }

  const firstTry = tryConnect();
  const connecting = connectInTheEnd();

  /** Waits for the first try only: once it has failed, callers are told at once. */
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
    return positionsOf(topic, messages, await withTimeout(timeoutMs, sent));
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
      // In sequence, so that records with the same key keep their order.
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
    produce: (topic, records) => traceProduce(topic, records, (traced) => produce(topic, traced)),
    async disconnect() {
      stopping.abort();
      // After a try that is under way: a connection made later would stay open.
      const disconnected = connecting.then(() => producer.disconnect());
      await withTimeout(2 * requestTimeoutMs, disconnected);
    },
  };
}

/** The choice is kept in the message: a retry inside kafkajs must not move it to another partition. */
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
      message.partition = partitionOf(Buffer.from(message.key), partitionMetadata.length);
    }
    return message.partition;
  };
};

function toMessage({ key, value, headers }: OutgoingRecord): Message {
  return { key, value, headers: { ...headers } };
}

/** @throws BusUnavailableError when the answer leaves out a partition that was sent to (kafkajs issue 1303 was of this kind) */
function positionsOf(
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
