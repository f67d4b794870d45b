import { TOPICS, type MessageType } from '@tidings/contracts';
import type { BusRecord, Producer } from '@tidings/bus';
import { dataErrorState, takeRecords, writeReceipts, type Database, type IngestConsumer, type IngestRecord } from '@tidings/db';
import { Counter, type Logger } from '@tidings/platform';

const deadLettersTotal = new Counter({
  name: 'tidings_dead_letters_total',
  help: 'Records that could not be applied and were set aside.',
  labelNames: ['consumer', 'error_class'] as const,
});

/** A record that can never be applied: nobody can read it, or Postgres refuses what is in it. */
export type DeadLetter =
  | { readonly source: BusRecord; readonly errorClass: 'unreadable' }
  | { readonly source: BusRecord; readonly errorClass: 'data'; readonly record: IngestRecord; readonly sqlState: string };

export type DeadLettersOptions = {
  readonly producer: Producer;
  readonly db: Database;
  readonly logger: Logger;
  readonly consumer: IngestConsumer;
  /** The messages whose receipts are this consumer's. */
  readonly kinds: readonly MessageType[];
};

/** Sets records aside: first on their topic with the original key, bytes and headers, then in the receipts of their messages. */
export function createDeadLetters({ producer, db, logger, consumer, kinds }: DeadLettersOptions): { setAside(letter: DeadLetter): Promise<void> } {
  /** Takes the record, so that redelivery sets nothing aside again. */
  const settleReceipts = async (record: IngestRecord): Promise<void> => {
    try {
      await db.transaction(async (sql) => {
        const [taken] = await takeRecords(sql, consumer, [record]);
        if (taken === undefined) return;
        const receipts = taken.messages.map(({ type }) =>
          kinds.includes(type) ? ({ outcome: 'dropped', reason: 'dead_letter' } as const) : ({ outcome: 'pending' } as const),
        );
        await writeReceipts(sql, [{ record: taken, receipts }]);
      });
    } catch (error) {
      if (dataErrorState(error) === undefined) throw error;
      logger.warn({ requestId: record.requestId }, 'dead letter without receipts: its message ids cannot be stored either');
    }
  };

  return {
    async setAside(letter) {
      const { source, errorClass } = letter;
      const sqlState = errorClass === 'data' ? letter.sqlState : undefined;
      await producer.produce(TOPICS.deadLetters, [
        {
          key: source.key?.toString('utf8') ?? null,
          value: source.value,
          headers: {
            ...source.headers,
            'dead-letter-consumer': consumer,
            'dead-letter-topic': source.topic,
            'dead-letter-partition': String(source.partition),
            'dead-letter-offset': source.offset.toString(),
            'dead-letter-error-class': errorClass,
            ...(sqlState !== undefined && { 'dead-letter-sqlstate': sqlState }),
          },
        },
      ]);
      deadLettersTotal.inc({ consumer, error_class: errorClass });
      logger.error({ topic: source.topic, partition: source.partition, offset: source.offset.toString(), errorClass, sqlState }, 'record set aside as a dead letter');
      if (errorClass === 'data') await settleReceipts(letter.record);
    },
  };
}
