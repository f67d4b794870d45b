import { messageOf, type IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { claimMessageKeys } from '@tidings/events/message-keys';
import { writeReceipts } from '@tidings/events/receipts';
import {
  createReceiptCollector,
  dropRepeatedIds,
  identifyMessages,
  type IdentifiedMessage,
} from '@tidings/ingest-consumer';
import { applyUserUpdates, type UserUpdate } from '@tidings/people/profiles';
import type { Sql } from '@tidings/postgres/database';
import { appendPersonChanges } from '@tidings/user-changes/person-changes';

/**
 * Registers users and merges their profiles: identity first, then duplicates, then the merge.
 * Writes a receipt for each `user` message; the events consumer settles the others.
 */
export async function applyUserMessages(sql: Sql, records: readonly IngestRecord[]): Promise<void> {
  const collector = createReceiptCollector(records);
  const { messages, merged } = await identifyMessages(sql, {
    records,
    collector,
    isOwn: ({ type }) => type === 'user',
  });
  const distinct = dropRepeatedIds(messages, collector).map(withUser);

  // `user` messages are exempt from the second duplicate rule.
  const duplicates = await claimMessageKeys(
    sql,
    distinct.map((message) => ({ ...message, serviceUserId: null })),
  );
  const accepted = distinct.filter((message, index) => {
    const reason = duplicates[index];
    if (reason) collector.settle(message, { outcome: 'duplicate', reason, userId: message.userId });
    return !reason;
  });

  const { skipped, persons } = await applyUserUpdates(sql, accepted.map(toUserUpdate));
  for (const [index, message] of accepted.entries()) {
    const reason = skipped[index] ?? message.remark;
    collector.settle(message, {
      outcome: 'processed',
      ...(reason && { reason, userId: message.userId }),
    });
  }
  await writeReceipts(sql, collector.entries());
  await appendPersonChanges(sql, [...merged, ...persons]);
}

type UserMessageRef = IdentifiedMessage & { readonly userId: string };

function withUser({ userId, ...message }: IdentifiedMessage): UserMessageRef {
  // `parseIngestRecord` rejects records that have `user` messages and no user.
  if (userId === null) throw new Error('a user message without a user');
  return { ...message, userId };
}

function toUserUpdate(candidate: UserMessageRef): UserUpdate {
  const message = messageOf(candidate);
  return {
    userId: candidate.userId,
    receivedAt: candidate.record.receivedAt,
    keyType: candidate.record.keyType,
    isProved: candidate.isProved,
    messageId: message.id,
    time: message.time,
    update: message.type === 'user' ? message : {},
    registers: candidate.record.customUserId !== null,
  };
}
