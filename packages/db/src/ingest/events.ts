import { stringifyExactJson } from '@tidings/platform';
import type { EventKind, IngestMessage } from '@tidings/contracts';
import type { Sql } from '../database.ts';
import { messageIndexOf, messageOf, type MessageRef } from './record.ts';

/** An event that passed every rule, ready to be stored. */
export type AcceptedEvent = MessageRef & { readonly slug: string; readonly userId: string | null };

/** Stores events in one statement; attributes keep the type of every value, integers all their digits. @callers events-consumer */
export async function insertEvents(sql: Sql, events: readonly AcceptedEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => {
    const message = messageOf(event);
    return {
      request_id: event.record.requestId,
      message_index: messageIndexOf(event),
      application_id: event.record.applicationId,
      user_id: event.userId,
      message_id: message.id,
      type: message.type,
      slug: event.slug,
      time: message.time,
      received_at: event.record.receivedAt,
      ...contentOf(message),
    };
  });
  await sql.query(
    `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at, attributes, revenue, currency)
     select request_id, message_index, application_id, user_id, message_id, type, slug, time, to_timestamp(received_at / 1000.0),
            attributes, revenue, currency
     from jsonb_to_recordset($1::jsonb) as x(request_id uuid, message_index int, application_id uuid, user_id uuid, message_id text,
       type text, slug text, time bigint, received_at float8, attributes jsonb, revenue float8, currency text)
     on conflict (request_id, message_index, received_at) do nothing`,
    // Of a record that is delivered again when its traces are past their retention, the events may still stand.
    [stringifyExactJson(rows)],
  );
}

/** Attributes of revenue messages are not stored, and an amount of another event is not one. */
function contentOf(message: IngestMessage): { attributes?: unknown; revenue?: unknown; currency?: unknown } {
  switch (message.type) {
    case 'revenue':
      return { revenue: message.revenue, currency: message.currency };
    case 'action':
    case 'businessEvent':
      return { attributes: message.attributes };
    case 'user':
      throw new Error('a user message is no event');
  }
}

/** One stored event as the API shows it. */
export type EventRecord = {
  readonly id: string;
  readonly type: EventKind;
  readonly slug: string;
  readonly name: string;
  readonly time: number | bigint;
  readonly receivedAt: number;
  readonly attributes?: unknown;
  readonly revenue?: number;
  readonly currency?: string;
};
