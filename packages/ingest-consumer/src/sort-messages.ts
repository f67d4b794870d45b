import type { IngestMessage, ReceiptReason } from '@tidings/contracts/ingest/ingest';
import type { IngestRecord, MessageRef } from '@tidings/contracts/ingest/ingest-record';
import type { Receipt } from '@tidings/events/receipts';
import { resolveIdentities } from '@tidings/people/identities';
import type { Sql } from '@tidings/postgres/database';
import type { PersonChange } from '@tidings/user-changes/person-changes';

/** Collects the receipts of one transaction's records. A message is pending until it is settled. */
export type ReceiptCollector = {
  settle(message: MessageRef, receipt: Receipt): void;
  /** In the form that `writeReceipts` takes. */
  entries(): { readonly record: IngestRecord; readonly receipts: readonly Receipt[] }[];
};

export function createReceiptCollector(records: readonly IngestRecord[]): ReceiptCollector {
  const collector = new Map(
    records.map((record) => [record, record.messages.map((): Receipt => ({ outcome: 'pending' }))]),
  );
  return {
    settle({ record, index }, receipt) {
      const receipts = collector.get(record);
      if (receipts === undefined) throw new Error('a receipt for a record of another transaction');
      receipts[index] = receipt;
    },
    entries: () => [...collector].map(([record, receipts]) => ({ record, receipts })),
  };
}

/** A message with its user; null for a business event without ids. */
export type IdentifiedMessage = MessageRef & {
  readonly userId: string | null;
  /** Whether its sender may act for the user. */
  readonly isProved: boolean;
  /** Whether its user was registered when it was looked up. */
  readonly isRegistered: boolean;
  /** A reason for the receipt of a message that is accepted nevertheless. */
  readonly remark?: ReceiptReason;
};

/**
 * The messages that this consumer handles, each with its user, and the persons into whom an
 * anonymous user was merged for that. Messages of a record without a valid identity are dropped.
 */
export async function identifyMessages(
  sql: Sql,
  {
    records,
    collector,
    isOwn,
  }: {
    readonly records: readonly IngestRecord[];
    readonly collector: ReceiptCollector;
    readonly isOwn: (message: IngestMessage) => boolean;
  },
): Promise<{
  readonly messages: readonly IdentifiedMessage[];
  readonly merged: readonly PersonChange[];
}> {
  const identities = await resolveIdentities(sql, records);
  const merged: PersonChange[] = [];
  const messages = records.flatMap((record) => {
    const identity = identities.get(record.requestId);
    if (identity === undefined) throw new Error('a record without a resolved identity');
    const { reason, anonymousId, ...who } = identity;
    if (who.userId !== null && anonymousId !== undefined)
      merged.push({ applicationId: record.applicationId, userId: who.userId, anonymousId });
    return record.messages.flatMap((message, index): IdentifiedMessage[] => {
      if (!isOwn(message)) return [];
      if (reason === undefined) return [{ record, index, ...who }];
      collector.settle({ record, index }, { outcome: 'dropped', reason, userId: who.userId });
      return [];
    });
  });
  return { messages, merged };
}

/**
 * Drops messages whose id an earlier message of the same record has. The first wins, of any type
 * and outcome, so both consumers decide alike without communicating.
 */
export function dropRepeatedIds<T extends IdentifiedMessage>(
  messages: readonly T[],
  collector: ReceiptCollector,
): T[] {
  const repeated = new Map<IngestRecord, ReadonlySet<number>>();
  return messages.filter((message) => {
    const { record, index, userId } = message;
    const indexes = repeated.get(record) ?? repeatedIdIndexes(record);
    repeated.set(record, indexes);
    if (!indexes.has(index)) return true;
    collector.settle(message, { outcome: 'duplicate', reason: 'duplicate_id', userId });
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
