import type { IngestMessage, ReceiptReason, IngestRecord, MessageRef } from '@tidings/contracts';
import { resolveIdentities } from '@tidings/people/identities';
import type { Sql } from '@tidings/postgres/database';
import type { ReceiptBook } from './receipt-book.ts';

/** A message with its record's user; null for a business event without one. */
export type IdentifiedMessage = MessageRef & {
  readonly userId: string | null;
  /** Whether its sender is known to speak for the user. */
  readonly isProved: boolean;
  /** What its receipt says although the message counts. */
  readonly remark?: ReceiptReason;
};

/** The messages that are the caller's, each with its user; those of a record without a valid identity are dropped. */
export async function identifyMessages(
  sql: Sql,
  {
    records,
    book,
    isOwn,
  }: {
    readonly records: readonly IngestRecord[];
    readonly book: ReceiptBook;
    readonly isOwn: (message: IngestMessage) => boolean;
  },
): Promise<IdentifiedMessage[]> {
  const identities = await resolveIdentities(sql, records);
  return records.flatMap((record) => {
    const identity = identities.get(record.requestId);
    if (identity === undefined) throw new Error('a record without an answer');
    const { reason, ...who } = identity;
    return record.messages.flatMap((message, index): IdentifiedMessage[] => {
      if (!isOwn(message)) return [];
      if (reason === undefined) return [{ record, index, ...who }];
      book.settle({ record, index }, { outcome: 'dropped', reason, userId: who.userId });
      return [];
    });
  });
}
