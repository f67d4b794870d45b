import { INGEST_HEADERS, TOPICS, ingestRecordKinds, type MessageType } from '@tidings/contracts';
import type { Batch, Bus, BusRecord } from '@tidings/bus';
import { dataErrorState, takeRecords, type Database, type IngestConsumer, type IngestRecord, type Sql } from '@tidings/db';
import { Counter, type Logger, type Service } from '@tidings/platform';
import { createDeadLetters, type DeadLetter } from './dead-letters.ts';
import { parseIngestRecord } from './parse-record.ts';

const recordsTotal = new Counter({
  name: 'tidings_ingest_records_total',
  help: 'Records of the ingest topic that a consumer applied.',
  labelNames: ['consumer'] as const,
});

/** A transaction takes this many messages at most, so that it stays short whatever the backlog. */
const MESSAGES_PER_TRANSACTION = 2000;

export type IngestConsumerOptions = {
  readonly consumer: IngestConsumer;
  readonly group: string;
  /** Records whose header names none of these kinds are passed over, unparsed. */
  readonly kinds: readonly MessageType[];
  /** Applies records that were never applied before, inside the transaction that took them. */
  readonly apply: (sql: Sql, records: readonly IngestRecord[]) => Promise<void>;
};

type ReadableRecord = { readonly source: BusRecord; readonly record: IngestRecord };
type ReadRecord = ReadableRecord | { readonly source: BusRecord; readonly record: null };

/**
 * Consumes the ingest topic in batches, each in one transaction with everything it causes, so that a crash repeats
 * nothing. A record that no transaction can hold is found by bisection and set aside; the rest goes on. Any other
 * error is the database's or the broker's: the bus tries the batch again.
 */
export async function startIngestConsumer(
  { bus, db, logger }: { readonly bus: Bus; readonly db: Database; readonly logger: Logger },
  options: IngestConsumerOptions,
): Promise<Service> {
  const { consumer: name, kinds } = options;
  const deadLetters = createDeadLetters({ producer: await bus.producer(), db, logger, consumer: name, kinds });

  /** The records that Postgres refuses for what is in them; all others are stored. */
  const applyOrBisect = async (records: readonly ReadableRecord[]): Promise<DeadLetter[]> => {
    if (records.length === 0) return [];
    try {
      const applied = await db.transaction(async (sql) => {
        const taken = await takeRecords(sql, name, records.map(({ record }) => record));
        if (taken.length > 0) await options.apply(sql, taken);
        return taken;
      });
      recordsTotal.inc({ consumer: name }, applied.length);
      return [];
    } catch (error) {
      const sqlState = dataErrorState(error);
      if (sqlState === undefined) throw error;
      if (records.length === 1) return records.map((poison) => ({ ...poison, errorClass: 'data', sqlState }));
      const middle = Math.ceil(records.length / 2);
      return [...(await applyOrBisect(records.slice(0, middle))), ...(await applyOrBisect(records.slice(middle)))];
    }
  };

  const handleBatch = async (batch: Batch): Promise<void> => {
    const ours = batch.records.filter((record) => isFor(kinds, record));
    for (const group of groupByMessages(ours.map(readRecord))) {
      batch.signal.throwIfAborted();
      const refused = await applyOrBisect(group.filter((entry) => entry.record !== null));
      const unreadable = group.filter((entry) => entry.record === null).map((entry) => ({ ...entry, errorClass: 'unreadable' as const }));
      // Only now: a group that has to be tried again has set nothing aside yet.
      for (const letter of [...unreadable, ...refused]) await deadLetters.setAside(letter);
      const last = group.at(-1);
      if (last !== undefined) await batch.resolve(last.source.offset);
      await batch.heartbeat();
    }
  };

  const consumer = await bus.consume({ group: options.group, topics: [TOPICS.ingest], partitionsConcurrently: 3, handleBatch });
  return {
    isAlive: () => consumer.isAlive(),
    stopIntake: () => consumer.stop(),
    async disconnect() {
      await bus.disconnect();
      await db.close();
    },
  };
}

/** A record without the header is for everybody: it did not come from a gateway and must not be passed over unseen. */
function isFor(kinds: readonly MessageType[], { headers }: BusRecord): boolean {
  if (headers[INGEST_HEADERS.kinds] === undefined) return true;
  const present = ingestRecordKinds(headers);
  return kinds.some((kind) => present.includes(kind));
}

function readRecord(source: BusRecord): ReadRecord {
  try {
    return { source, record: parseIngestRecord(source) };
  } catch {
    // Why it cannot be read says nothing to anybody: its bytes are kept.
    return { source, record: null };
  }
}

function* groupByMessages(records: readonly ReadRecord[]): Generator<ReadRecord[]> {
  let group: ReadRecord[] = [];
  let messages = 0;
  for (const entry of records) {
    const more = entry.record?.messages.length ?? 0;
    if (group.length > 0 && messages + more > MESSAGES_PER_TRANSACTION) {
      yield group;
      group = [];
      messages = 0;
    }
    group.push(entry);
    messages += more;
  }
  if (group.length > 0) yield group;
}
