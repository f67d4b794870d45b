import { readTraceparent, type RecordBatch, type Bus, type BusRecord } from '@tidings/bus';
import { REPLAY_HEADERS } from '@tidings/contracts/ingest/dead-letters';
import type { MessageType } from '@tidings/contracts/ingest/ingest';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { INGEST_HEADERS, ingestRecordKinds } from '@tidings/contracts/ingest/records';
import { TOPICS } from '@tidings/contracts/topics';
import { makePartitions } from '@tidings/events/retention/partitions';
import {
  inSpanPerParent,
  isUuid,
  type Clock,
  type Ids,
  type Logger,
  type Service,
} from '@tidings/platform';
import { prepareHotValidators } from '@tidings/validation';
import { isMissingPartition, type Database } from '@tidings/postgres/database';
import { createApplier, type ApplyOptions } from './apply-records.ts';
import { createDeadLetters } from './dead-letters.ts';
import { parseIngestRecord } from './parse-record.ts';

/** Maximum messages per transaction: keeps transactions short during a backlog. */
const MESSAGES_PER_TRANSACTION = 2000;

/**
 * Concurrent transactions. While one waits for Postgres, another is prepared; more would only wait
 * for each other.
 */
const PARTITIONS_CONCURRENTLY = 3;

/**
 * Gathers records for up to 100 ms. At a moderate rate this saves a third of the work of Kafka and
 * Postgres, compared with a commit for every few records.
 */
const GATHER = { bytes: 512 * 1024, waitMs: 100 };

/** Records whose header names none of `kinds` are skipped, unparsed. */
export type IngestConsumerOptions = ApplyOptions & { readonly group: string };

export type IngestConsumerDependencies = {
  readonly bus: Bus;
  readonly db: Database;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
};

/** `deadLetterId`: the record is the replay of this dead letter. */
type ReadRecord = {
  readonly source: BusRecord;
  readonly record: IngestRecord | null;
  readonly deadLetterId?: string;
};
type ReadableRecord = ReadRecord & { readonly record: IngestRecord };

/**
 * Consumes the ingest topic in record batches. Each step of one is one transaction with all its
 * effects, so that a crash repeats nothing.
 *
 * A record that Postgres rejects is found by bisection and set aside; the rest is applied. All
 * other errors come from the database or broker, and the bus retries the record batch.
 */
export async function startIngestConsumer(
  deps: IngestConsumerDependencies,
  options: IngestConsumerOptions,
): Promise<Service> {
  const { bus, db } = deps;
  prepareHotValidators();
  const consumer = await bus.consume({
    group: options.group,
    topics: [TOPICS.ingest],
    partitionsConcurrently: PARTITIONS_CONCURRENTLY,
    gather: GATHER,
    handleBatch: withPartitions(deps, createBatchHandler(deps, options)),
  });
  return {
    isAlive: () => consumer.isAlive(),
    stopIntake: () => consumer.stop(),
    async disconnect() {
      await bus.disconnect();
      await db.close();
    },
  };
}

type BatchHandler = (batch: RecordBatch) => Promise<void>;

/** Creates the required partitions when one is missing; the bus then retries the record batch. */
function withPartitions(
  { db, logger }: Pick<IngestConsumerDependencies, 'db' | 'logger'>,
  handle: BatchHandler,
): BatchHandler {
  return async (batch) => {
    try {
      await handle(batch);
    } catch (error) {
      if (isMissingPartition(error)) {
        logger.error({ err: error }, 'a partition is missing: creating the required partitions');
        await makePartitions(db);
      }
      throw error;
    }
  };
}

/** Applies a record batch in steps of bounded size: each step's records, then its replays. */
function createBatchHandler(
  deps: IngestConsumerDependencies,
  options: IngestConsumerOptions,
): BatchHandler {
  const { db, logger, clock } = deps;
  const applier = createApplier(db, options);
  const deadLetters = createDeadLetters({ ...deps, ...options });

  const applyStep = async (
    step: readonly ReadRecord[],
    heartbeat: () => Promise<void>,
  ): Promise<void> => {
    const fresh = step.filter(({ deadLetterId }) => deadLetterId === undefined);
    for (const { source } of fresh.filter((entry) => !isReadable(entry))) {
      await deadLetters.setAside({ source, errorClass: 'unreadable' });
      await heartbeat();
    }
    const readable = fresh.filter(isReadable);
    const applying = inSpanPerParent(
      readable.map(({ source }) => readTraceparent(source)),
      { name: `insert ${options.consumer}`, attributes: { 'db.system.name': 'postgresql' } },
      () => applier.applyAll(readable, heartbeat),
    );
    for (const { entry, sqlState } of await applying) {
      await deadLetters.setAside({ ...entry, errorClass: 'data', sqlState });
      await heartbeat();
    }
  };

  const applyReplay = async ({ source, record, deadLetterId = '' }: ReadRecord): Promise<void> => {
    if (record === null) {
      await deadLetters.setAside({ source, deadLetterId, errorClass: 'unreadable' });
      return;
    }
    const result = await applier.applyReplay(record, deadLetterId);
    if (typeof result === 'object')
      await deadLetters.setAside({ source, deadLetterId, record, errorClass: 'data', ...result });
    else
      logger.info(
        { deadLetterId, requestId: record.requestId },
        result === 'applied' ? 'dead letter replayed' : 'replay skipped: not requested',
      );
  };

  return async (batch) => {
    for (const step of splitByMessages(readOwnRecords(options, batch.records, clock))) {
      batch.signal.throwIfAborted();
      await applyStep(step, () => batch.heartbeat());
      for (const replay of step.filter(({ deadLetterId }) => deadLetterId !== undefined)) {
        await applyReplay(replay);
        await batch.heartbeat();
      }
      const last = step.at(-1);
      if (last !== undefined) await batch.resolve(last.source.offset);
      await batch.heartbeat();
    }
  };
}

/**
 * Whether this consumer handles a record. A record without the header of its kinds goes to all
 * consumers: it does not come from a gateway and must not be skipped unseen. A replay goes to the
 * consumer that it names.
 */
function isFor({ consumer, kinds }: IngestConsumerOptions, { headers }: BusRecord): boolean {
  if (isUuid(headers[REPLAY_HEADERS.deadLetterId] ?? ''))
    return headers[REPLAY_HEADERS.consumer] === consumer;
  if (headers[INGEST_HEADERS.kinds] === undefined) return true;
  const present = ingestRecordKinds(headers);
  return kinds.some((kind: MessageType) => present.includes(kind));
}

/** Parses lazily: a record batch parsed at once takes many times its size. */
function* readOwnRecords(
  options: IngestConsumerOptions,
  records: readonly BusRecord[],
  clock: Clock,
): Generator<ReadRecord> {
  for (const source of records) if (isFor(options, source)) yield readRecord(source, clock.now());
}

function readRecord(source: BusRecord, nowMs: number): ReadRecord {
  const deadLetterId = source.headers[REPLAY_HEADERS.deadLetterId] ?? '';
  const replay = isUuid(deadLetterId) ? { deadLetterId } : {};
  try {
    return { source, record: parseIngestRecord(source, nowMs), ...replay };
  } catch {
    // The parse error helps no operator; the dead letter keeps the bytes.
    return { source, record: null, ...replay };
  }
}

function isReadable(entry: ReadRecord): entry is ReadableRecord {
  return entry.record !== null;
}

function* splitByMessages(records: Iterable<ReadRecord>): Generator<ReadRecord[]> {
  let step: ReadRecord[] = [];
  let messages = 0;
  for (const entry of records) {
    const more = entry.record?.messages.length ?? 0;
    if (step.length > 0 && messages + more > MESSAGES_PER_TRANSACTION) {
      yield step;
      step = [];
      messages = 0;
    }
    step.push(entry);
    messages += more;
  }
  if (step.length > 0) yield step;
}
