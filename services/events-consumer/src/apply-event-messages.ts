import {
  type EventMessage,
  messageOf,
  type IngestRecord,
  type MessageRef,
} from '@tidings/contracts';
import {
  resolveDefinitions,
  type EventNaming,
} from '@tidings/events/definitions/resolve-definitions';
import { insertEvents, type AcceptedEvent } from '@tidings/events/events';
import { claimMessageKeys, userTimeClaims } from '@tidings/events/message-keys';
import { writeReceipts } from '@tidings/events/receipts';
import {
  createReceiptBook,
  dropRepeatedIds,
  identifyMessages,
  type IdentifiedMessage,
  type ReceiptBook,
} from '@tidings/ingest-consumer';
import type { Sql } from '@tidings/postgres/database';

/**
 * Stores events: identity first, then name and definition, then duplicates, as the order of reasons is promised; a
 * receipt for each event. Whether a stored event is visible is its user's registration, decided by whoever reads.
 */
export async function applyEventMessages(
  sql: Sql,
  records: readonly IngestRecord[],
): Promise<void> {
  const book = createReceiptBook(records);
  const identified = await identifyMessages(sql, {
    records,
    book,
    isOwn: ({ type }) => type !== 'user',
  });
  const defined = await defineEvents(sql, identified, book);
  const distinct = dropRepeatedIds(defined, book);

  const duplicates = await claimMessageKeys(sql, await userTimeClaims(sql, distinct));
  const accepted = distinct.filter((event, index) => {
    const reason = duplicates[index];
    const { userId, remark } = event;
    if (reason) book.settle(event, { outcome: 'duplicate', reason, userId });
    else book.settle(event, { outcome: 'stored', userId, ...(remark && { reason: remark }) });
    return !reason;
  });

  await insertEvents(sql, accepted);
  await writeReceipts(sql, book.entries());
}

/** Each event with the slug its name stands for; those without a usable name are dropped. */
async function defineEvents(
  sql: Sql,
  events: readonly IdentifiedMessage[],
  book: ReceiptBook,
): Promise<(IdentifiedMessage & AcceptedEvent)[]> {
  const named = events.flatMap((event) => {
    const naming = namingOf(event);
    if (naming === null)
      book.settle(event, { outcome: 'dropped', reason: 'empty_name', userId: event.userId });
    return naming === null ? [] : [{ event, naming }];
  });
  const definitions = await resolveDefinitions(
    sql,
    named.map(({ naming }) => naming),
  );
  return named.flatMap(({ event }, index) => {
    const definition = definitions[index];
    if (definition === undefined) throw new Error('a naming without an answer');
    if ('slug' in definition) return [{ ...event, slug: definition.slug }];
    book.settle(event, { outcome: 'dropped', reason: definition.reason, userId: event.userId });
    return [];
  });
}

function namingOf(event: MessageRef): EventNaming | null {
  const message = messageOf(event) as EventMessage;
  const { applicationId, keyType } = event.record;
  const base = { applicationId, keyType, kind: message.type };
  const name = message.name ?? message.customName ?? '';
  if (name.trim() === '') return null;
  return message.name != null ? { ...base, slug: name } : { ...base, customName: name };
}
