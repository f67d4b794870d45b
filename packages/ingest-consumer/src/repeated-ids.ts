import type { IngestRecord } from '@tidings/contracts';
import type { IdentifiedMessage } from './identify-messages.ts';
import type { ReceiptBook } from './receipt-book.ts';

/**
 * Leaves out messages whose id an earlier message of the same record has: the first has it, whatever its type and
 * outcome, so both consumers decide alike without asking each other.
 */
export function dropRepeatedIds<T extends IdentifiedMessage>(
  messages: readonly T[],
  book: ReceiptBook,
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
