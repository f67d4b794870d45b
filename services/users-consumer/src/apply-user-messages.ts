import { messageOf, type IngestRecord } from '@tidings/contracts';
import { claimMessageKeys } from '@tidings/events/message-keys';
import { writeReceipts } from '@tidings/events/receipts';
import {
  createReceiptBook,
  dropRepeatedIds,
  identifyMessages,
  type IdentifiedMessage,
} from '@tidings/ingest-consumer';
import { applyUserUpdates, type UserUpdate } from '@tidings/people/profiles';
import type { Sql } from '@tidings/postgres/database';

/**
 * Registers users and merges their profiles: identity first, then duplicates, then the merge; a receipt for each
 * `user` message. Receipts of the records' events are the events consumer's.
 */
export async function applyUserMessages(sql: Sql, records: readonly IngestRecord[]): Promise<void> {
  const book = createReceiptBook(records);
  const identified = await identifyMessages(sql, {
    records,
    book,
    isOwn: ({ type }) => type === 'user',
  });
  const distinct = dropRepeatedIds(identified, book).map(withUser);

  // `user` messages are exempt from the second duplicate rule.
  const duplicates = await claimMessageKeys(
    sql,
    distinct.map((message) => ({ ...message, serviceUserId: null })),
  );
  const accepted = distinct.filter((message, index) => {
    const reason = duplicates[index];
    if (reason) book.settle(message, { outcome: 'duplicate', reason, userId: message.userId });
    return !reason;
  });

  const left = await applyUserUpdates(sql, accepted.map(toUserUpdate));
  for (const [index, message] of accepted.entries()) {
    const reason = left[index] ?? message.remark;
    book.settle(message, {
      outcome: 'processed',
      ...(reason && { reason, userId: message.userId }),
    });
  }
  await writeReceipts(sql, book.entries());
}

type UserMessageRef = IdentifiedMessage & { readonly userId: string };

function withUser({ userId, ...message }: IdentifiedMessage): UserMessageRef {
  // No record is read that has `user` messages and names nobody.
  if (userId === null) throw new Error('a user message of nobody');
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
