import type { IngestMessage, IngestRecord, MessageRef, ReceiptReason } from '@tidings/contracts';
import type { Receipt } from '@tidings/events/receipts';
import { resolveIdentities } from '@tidings/people/identities';
import type { Sql } from '@tidings/postgres/database';

/** The receipts of one transaction's records: every message is pending until somebody settles it. */
export type ReceiptCollector = {
  settle(message: MessageRef, receipt: Receipt): void;
  /** As `writeReceipts` takes them. */
  entries(): { readonly record: IngestRecord; readonly receipts: readonly Receipt[] }[];
};

export function createReceiptCollector(records: readonly IngestRecord[]): ReceiptCollector {
  const book = new Map(
    records.map((record) => [record, record.messages.map((): Receipt => ({ outcome: 'pending' }))]),
  );
  return {
    settle({ record, index }, receipt) {
      const receipts = book.get(record);
      if (receipts === undefined) throw new Error('a receipt for a record of another transaction');
      receipts[index] = receipt;
    },
    entries: () => [...book].map(([record, receipts]) => ({ record, receipts })),
  };
}

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
    readonly book: ReceiptCollector;
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

/**
 * Leaves out messages whose id an earlier message of the same record has: the first has it, whatever its type and
 * outcome, so both consumers decide alike without asking each other.
 */
export function dropRepeatedIds<T extends IdentifiedMessage>(
  messages: readonly T[],
  book: ReceiptCollector,
): T[] {
  const repeated = new Map<IngestRecord, ReadonlySet<number>>();
  return messages.filter((message) => {
    const { record, index, userId } = message;
    const indexes = repeated.get(record) ?? repeatedIdIndexes(record);
    repeated.set(record, indexes);
    if (!indexes.has(index)) return true;
    book.settle(message, { outcome: 'duplicate', reason: 'duplicate_id', userId });
    return false;
  });
}

function repeatedIdIndexes(record: IngestRecord): ReadonlySet<number> {
  const seen = new Set<string>();
  const repeated = new Set<number>();
  for (const [index, { id }] of record.messages.entries()) {
    if (seen.has(id)) repeated.add(index);
    seen.add(id);
  }
  return repeated;
}
