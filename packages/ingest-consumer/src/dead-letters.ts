import type { BusRecord } from '@tidings/bus';
import {
  DEAD_LETTER_ERROR_CLASSES,
  type DeadLetterErrorClass,
} from '@tidings/contracts/ingest/dead-letters';
import type { MessageType } from '@tidings/contracts/ingest/ingest';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { INGEST_HEADERS } from '@tidings/contracts/ingest/records';
import { insertDeadLetter, failReplay } from '@tidings/events/dead-letters';
import { writeReceipts } from '@tidings/events/receipts';
import { takeRecords, type IngestConsumer } from '@tidings/events/take-records';
import { Counter, isUuid, type Ids, type Logger } from '@tidings/platform';
import { dataErrorState, type Database, type Sql } from '@tidings/postgres/database';

const deadLettersTotal = new Counter({
  name: 'tidings_dead_letters_total',
  help: 'Records set aside as dead letters because they could not be applied, including rejected replays.',
  labelNames: ['consumer', 'error_class'] as const,
});

/** A record that cannot be applied: it cannot be parsed, or Postgres rejects its content. */
export type RejectedRecord = { readonly source: BusRecord; readonly deadLetterId?: string } & (
  | { readonly errorClass: 'unreadable' }
  | { readonly errorClass: 'data'; readonly record: IngestRecord; readonly sqlState: string | null }
);

export type DeadLettersOptions = {
  readonly db: Database;
  readonly logger: Logger;
  readonly ids: Ids;
  readonly consumer: IngestConsumer;
  /** The message types whose receipts this consumer settles. */
  readonly kinds: readonly MessageType[];
};

/**
 * Sets records aside: writes the dead letter with the original key, bytes and headers, and settles
 * its receipts, in one transaction. A record has one dead letter, also after crashes and
 * redelivery. A replay already has one (`deadLetterId`).
 */
export function createDeadLetters({ db, logger, ids, consumer, kinds }: DeadLettersOptions): {
  setAside(rejected: RejectedRecord): Promise<void>;
} {
  // Prometheus does not see the increment that creates a series.
  for (const errorClass of DEAD_LETTER_ERROR_CLASSES)
    deadLettersTotal.inc({ consumer, error_class: errorClass }, 0);

  const store = (sql: Sql, rejected: RejectedRecord): Promise<boolean> => {
    const why = {
      errorClass: rejected.errorClass,
      sqlState: rejected.errorClass === 'data' ? rejected.sqlState : null,
    };
    if (rejected.deadLetterId !== undefined)
      return failReplay(sql, { deadLetterId: rejected.deadLetterId, consumer }, why);
    return insertDeadLetter(sql, {
      id: ids.uuid(),
      consumer,
      ...readOrigin(rejected.source),
      ...why,
    });
  };

  const storeWithReceipts = async (
    sql: Sql,
    rejected: RejectedRecord & { readonly errorClass: 'data' },
  ): Promise<boolean> => {
    const { record, deadLetterId } = rejected;
    const taken = await takeRecords(sql, consumer, [record]);
    // Another process has applied it or set it aside meanwhile.
    if (taken.length === 0 && deadLetterId === undefined) return false;
    const isStored = await store(sql, rejected);
    const receipts = record.messages.map(({ type }) =>
      kinds.includes(type)
        ? ({ outcome: 'dropped', reason: 'dead_letter' } as const)
        : ({ outcome: 'pending' } as const),
    );
    await writeReceipts(sql, [{ record, receipts }]);
    return isStored;
  };

  const settle = async (rejected: RejectedRecord): Promise<boolean> => {
    if (rejected.errorClass === 'unreadable') return store(db.sql, rejected);
    try {
      return await db.transaction((sql) => storeWithReceipts(sql, rejected));
    } catch (error) {
      if (dataErrorState(error) === undefined) throw error;
      logger.warn(
        { requestId: rejected.record.requestId },
        'dead letter without receipts: Postgres rejects its message ids too',
      );
      return store(db.sql, rejected);
    }
  };

  return {
    async setAside(rejected) {
      if (!(await settle(rejected))) return;
      const { source, errorClass } = rejected;
      deadLettersTotal.inc({ consumer, error_class: errorClass });
      logger.error(readFacts(source, errorClass, rejected), 'record set aside as a dead letter');
    },
  };
}

function readOrigin({ topic, partition, offset, key, value, headers }: BusRecord) {
  const uuidOf = (name: string): string | null =>
    isUuid(headers[name] ?? '') ? (headers[name] ?? null) : null;
  const [applicationId, requestId] = [
    uuidOf(INGEST_HEADERS.applicationId),
    uuidOf(INGEST_HEADERS.requestId),
  ];
  return { topic, partition, offset, key, value, headers, applicationId, requestId };
}

function readFacts(
  { topic, partition, offset }: BusRecord,
  errorClass: DeadLetterErrorClass,
  rejected: RejectedRecord,
) {
  const sqlState = rejected.errorClass === 'data' ? rejected.sqlState : null;
  return {
    topic,
    partition,
    offset: offset.toString(),
    errorClass,
    sqlState,
    deadLetterId: rejected.deadLetterId,
  };
}
