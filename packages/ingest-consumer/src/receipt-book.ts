import type { IngestRecord, MessageRef } from '@tidings/contracts';
import type { Receipt } from '@tidings/events/receipts';

/** The receipts of one transaction's records: every message is pending until somebody settles it. */
export type ReceiptBook = {
  settle(message: MessageRef, receipt: Receipt): void;
  /** As `writeReceipts` takes them. */
  entries(): { readonly record: IngestRecord; readonly receipts: readonly Receipt[] }[];
};

export function createReceiptBook(records: readonly IngestRecord[]): ReceiptBook {
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
