import type { EventMessage } from '@tidings/contracts/ingest/ingest';
import {
  messageOf,
  type IngestRecord,
  type MessageRef,
} from '@tidings/contracts/ingest/ingest-record';
import {
  resolveDefinitions,
  type EventNaming,
} from '@tidings/events/definitions/resolve-definitions';
import { insertEvents, type AcceptedEvent } from '@tidings/events/events';
import { claimMessageKeys, userTimeClaims } from '@tidings/events/message-keys';
import { writeReceipts, type Receipt } from '@tidings/events/receipts';
import {
  createReceiptCollector,
  dropRepeatedIds,
  identifyMessages,
  type IdentifiedMessage,
  type ReceiptCollector,
} from '@tidings/ingest-consumer';
import type { Sql } from '@tidings/postgres/database';
import { appendEventChanges } from './append-event-changes.ts';

/**
 * Stores events and settles the receipt of each. The checks follow the documented order of reasons:
 * identity, then name and definition, then duplicates. Readers decide whether a stored event is
 * visible: its user must be registered.
 */
export async function applyEventMessages(
  sql: Sql,
  records: readonly IngestRecord[],
): Promise<void> {
  const collector = createReceiptCollector(records);
  const { messages, merged } = await identifyMessages(sql, {
    records,
    collector,
    isOwn: ({ type }) => type !== 'user',
  });
  const defined = await defineEvents(sql, messages, collector);
  const distinct = dropRepeatedIds(defined, collector);

  const duplicates = await claimMessageKeys(sql, await userTimeClaims(sql, distinct));
  const accepted = distinct.filter((event, index) => {
    const reason = duplicates[index];
    const { userId } = event;
    collector.settle(
      event,
      reason ? { outcome: 'duplicate', reason, userId } : receiptOfStored(event),
    );
    return !reason;
  });

  await insertEvents(sql, accepted);
  await writeReceipts(sql, collector.entries());
  await appendEventChanges(sql, { accepted, merged });
}

/**
 * The event says the rest, unless it is held or has a remark. A held event is found by its receipt
 * when that expires.
 */
function receiptOfStored({ userId, isRegistered, remark }: IdentifiedMessage): Receipt {
  if (remark !== undefined) return { outcome: 'stored', userId, reason: remark };
  return { outcome: 'stored', userId, isDerived: userId === null || isRegistered };
}

/** Adds the slug of its definition to each event. Events without a usable name are dropped. */
async function defineEvents(
  sql: Sql,
  events: readonly IdentifiedMessage[],
  collector: ReceiptCollector,
): Promise<(IdentifiedMessage & AcceptedEvent)[]> {
  const named = events.flatMap((event) => {
    const naming = namingOf(event);
    if (naming === null)
      collector.settle(event, { outcome: 'dropped', reason: 'empty_name', userId: event.userId });
    return naming === null ? [] : [{ event, naming }];
  });
  const definitions = await resolveDefinitions(
    sql,
    named.map(({ naming }) => naming),
  );
  return named.flatMap(({ event }, index) => {
    const definition = definitions[index];
    if (definition === undefined) throw new Error('a naming without a result');
    if ('slug' in definition) return [{ ...event, slug: definition.slug }];
    collector.settle(event, {
      outcome: 'dropped',
      reason: definition.reason,
      userId: event.userId,
    });
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
