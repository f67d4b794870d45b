import type { BusRecord } from '@tidings/bus';
import {
  INGEST_HEADERS,
  type DeadLetterErrorClass,
  type MessageType,
  type IngestRecord,
} from '@tidings/contracts';
import { insertDeadLetter, failReplay } from '@tidings/events/dead-letters';
import { writeReceipts } from '@tidings/events/receipts';
import { takeRecords, type IngestConsumer } from '@tidings/events/take-records';
import { Counter, isUuid, type Ids, type Logger } from '@tidings/platform';
import { dataErrorState, type Database, type Sql } from '@tidings/postgres/database';

const deadLettersTotal = new Counter({
  name: 'tidings_dead_letters_total',
  help: 'Records that could not be applied and were set aside, replays that were refused again included.',
  labelNames: ['consumer', 'error_class'] as const,
});

/** A record that cannot be applied: nobody can read it, or Postgres refuses what is in it. */
export type RejectedRecord = { readonly source: BusRecord; readonly deadLetterId?: string } & (
  | { readonly errorClass: 'unreadable' }
  | { readonly errorClass: 'data'; readonly record: IngestRecord; readonly sqlState: string | null }
);

export type DeadLettersOptions = {
  readonly db: Database;
  readonly logger: Logger;
  readonly ids: Ids;
  readonly consumer: IngestConsumer;
  /** The messages whose receipts are this consumer's. */
  readonly kinds: readonly MessageType[];
};

/**
 * Sets records aside: the letter with the original key, bytes and headers, and the receipts it settles, in one
 * transaction. Whatever dies or is delivered again, a record has one letter. A replay has its letter (`deadLetterId`) already.
 */
export function createDeadLetters({ db, logger, ids, consumer, kinds }: DeadLettersOptions): {
  setAside(refused: RejectedRecord): Promise<void>;
} {
  const store = (sql: Sql, refused: RejectedRecord): Promise<boolean> => {
    const why = {
      errorClass: refused.errorClass,
      sqlState: refused.errorClass === 'data' ? refused.sqlState : null,
    };
    if (refused.deadLetterId !== undefined)
      return failReplay(sql, { deadLetterId: refused.deadLetterId, consumer }, why);
    return insertDeadLetter(sql, { id: ids.uuid(), consumer, ...originOf(refused.source), ...why });
  };

  const storeWithReceipts = async (
    sql: Sql,
    refused: RejectedRecord & { readonly errorClass: 'data' },
  ): Promise<boolean> => {
    const { record, deadLetterId } = refused;
    const taken = await takeRecords(sql, consumer, [record]);
    // Somebody else has applied it or set it aside in the meantime.
    if (taken.length === 0 && deadLetterId === undefined) return false;
    const isStored = await store(sql, refused);
    const receipts = record.messages.map(({ type }) =>
      kinds.includes(type)
        ? ({ outcome: 'dropped', reason: 'dead_letter' } as const)
        : ({ outcome: 'pending' } as const),
    );
    await writeReceipts(sql, [{ record, receipts }]);
    return isStored;
  };

  const settle = async (refused: RejectedRecord): Promise<boolean> => {
    if (refused.errorClass === 'unreadable') return store(db.sql, refused);
    try {
      return await db.transaction((sql) => storeWithReceipts(sql, refused));
    } catch (error) {
      if (dataErrorState(error) === undefined) throw error;
      logger.warn(
        { requestId: refused.record.requestId },
        'dead letter without receipts: its message ids cannot be stored either',
      );
      return store(db.sql, refused);
    }
  };

  return {
    async setAside(refused) {
      if (!(await settle(refused))) return;
      const { source, errorClass } = refused;
      deadLettersTotal.inc({ consumer, error_class: errorClass });
      logger.error(factsOf(source, errorClass, refused), 'record set aside as a dead letter');
    },
  };
}

function originOf({ topic, partition, offset, key, value, headers }: BusRecord) {
  const uuidOf = (name: string): string | null =>
    isUuid(headers[name] ?? '') ? (headers[name] ?? null) : null;
  const [applicationId, requestId] = [
    uuidOf(INGEST_HEADERS.applicationId),
    uuidOf(INGEST_HEADERS.requestId),
  ];
  return { topic, partition, offset, key, value, headers, applicationId, requestId };
}

function factsOf(
  { topic, partition, offset }: BusRecord,
  errorClass: DeadLetterErrorClass,
  refused: RejectedRecord,
) {
  const sqlState = refused.errorClass === 'data' ? refused.sqlState : null;
  return {
    topic,
    partition,
    offset: offset.toString(),
    errorClass,
    sqlState,
    deadLetterId: refused.deadLetterId,
  };
}
