import type { EventKind, IngestMessage } from '@tidings/contracts/ingest/ingest';
import {
  messageIndexOf,
  messageOf,
  type MessageRef,
} from '@tidings/contracts/ingest/ingest-record';
import { stringifyExactJson } from '@tidings/platform';
import { pgArrayLiteral } from '@tidings/postgres/pg-array-literal';
import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

const INSERT_EVENTS = definePrepared(statement('insert-events'));

/** An event that passed every check, ready to be stored. */
export type AcceptedEvent = MessageRef & {
  readonly slug: string;
  readonly userId: string | null;
  readonly isProved: boolean;
};

/**
 * Stores events. Attributes keep their JSON types and every digit of integers.
 * @callers events-consumer
 */
export async function insertEvents(sql: Sql, events: readonly AcceptedEvent[]): Promise<void> {
  await insert(
    sql,
    events.filter(({ record }) => record.isFirstSeen),
    INSERT_EVENTS,
  );
  // A record delivered again after its receipts were purged: its events may still exist.
  await insert(
    sql,
    events.filter(({ record }) => !record.isFirstSeen),
    statement('insert-missing-events'),
  );
}

/**
 * A separate statement without `on conflict`: the conflict check would cost a fifth of the
 * insertion.
 */
async function insert(sql: Sql, events: readonly AcceptedEvent[], text: string): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => {
    const message = messageOf(event);
    return { ...event, message, ...contentOf(message) };
  });
  await sql.query(text, [
    pgArrayLiteral(rows.map(({ record }) => record.requestId)),
    pgArrayLiteral(rows.map(messageIndexOf)),
    pgArrayLiteral(rows.map(({ record }) => record.applicationId)),
    pgArrayLiteral(rows.map(({ userId }) => userId)),
    rows.map(({ message }) => message.id),
    pgArrayLiteral(rows.map(({ message }) => message.type)),
    rows.map(({ slug }) => slug),
    pgArrayLiteral(rows.map(({ message }) => message.time)),
    pgArrayLiteral(rows.map(({ record }) => record.receivedAt)),
    rows.map(({ attributes }) =>
      attributes === undefined ? null : stringifyExactJson(attributes),
    ),
    pgArrayLiteral(rows.map(({ revenue }) => revenue ?? null)),
    pgArrayLiteral(rows.map(({ currency }) => currency ?? null)),
    pgArrayLiteral(rows.map(({ isProved }) => isProved)),
  ]);
}

/** Revenue messages store no attributes; only revenue messages store an amount. */
function contentOf(message: IngestMessage): {
  readonly attributes?: unknown;
  readonly revenue?: number | bigint | undefined;
  readonly currency?: string | undefined;
} {
  switch (message.type) {
    case 'revenue':
      return { revenue: message.revenue, currency: message.currency };
    case 'action':
    case 'businessEvent':
      return { attributes: message.attributes };
    case 'user':
      throw new Error('a user message cannot be stored as an event');
  }
}

/** One stored event as the API returns it. */
export type EventRecord = {
  readonly id: string;
  readonly type: EventKind;
  readonly slug: string;
  readonly name: string;
  readonly time: number | bigint;
  readonly receivedAt: number;
  readonly attributes?: object;
  readonly revenue?: number;
  readonly currency?: string;
};
