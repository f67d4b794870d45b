import type { DeadLetterErrorClass } from '@tidings/contracts/ingest/dead-letters';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { createHash } from 'node:crypto';
import type { IngestConsumer } from './take-records.ts';

const statement = statementsIn(import.meta.dirname);

/** A record to set aside, exactly as it was on its topic. */
export type NewDeadLetter = {
  readonly id: string;
  readonly consumer: IngestConsumer;
  /** Null when the headers do not name one. */
  readonly applicationId: string | null;
  readonly requestId: string | null;
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly key: Buffer | null;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly errorClass: DeadLetterErrorClass;
  readonly sqlState: string | null;
};

/**
 * Writes a dead letter. False when this consumer has set the same record aside before. Any content
 * can be stored: a dead letter that could not be written would block its partition for ever.
 * @callers ingest-consumer
 */
export async function insertDeadLetter(sql: Sql, letter: NewDeadLetter): Promise<boolean> {
  const headers = JSON.stringify(toStoredHeaders(letter.headers));
  const { rowCount } = await sql.query(
    // A non-existent application is stored as null: every installation administrator sees the dead
    // letter.
    statement('insert-dead-letter'),
    [
      letter.id,
      letter.consumer,
      letter.applicationId,
      letter.requestId,
      letter.topic,
      letter.partition,
      letter.offset.toString(),
      createHash('sha256').update(headers).update(letter.value).digest(),
      letter.key,
      letter.value,
      headers,
      letter.errorClass,
      letter.sqlState,
    ],
  );
  return rowCount === 1;
}

/** A requested replay, and the consumer that it is for. */
export type RequestedReplay = { readonly deadLetterId: string; readonly consumer: IngestConsumer };

/**
 * Claims a replay. False unless it was requested and not claimed since, so that each request takes
 * effect once, however often its record is delivered. Must be the first statement of the replay's
 * transaction.
 * @callers ingest-consumer
 */
export async function claimReplay(
  sql: Sql,
  { deadLetterId, consumer }: RequestedReplay,
): Promise<boolean> {
  const { rowCount } = await sql.query(statement('claim-replay'), [deadLetterId, consumer]);
  return rowCount === 1;
}

/**
 * Returns a rejected replay to `waiting` with the new error. False when no replay was requested.
 * @callers ingest-consumer
 */
export async function failReplay(
  sql: Sql,
  { deadLetterId, consumer }: RequestedReplay,
  why: { readonly errorClass: DeadLetterErrorClass; readonly sqlState: string | null },
): Promise<boolean> {
  const { rowCount } = await sql.query(statement('fail-replay'), [
    deadLetterId,
    consumer,
    why.errorClass,
    why.sqlState,
  ]);
  return rowCount === 1;
}

/** jsonb stores neither U+0000 nor lone surrogates. U+0000 is escaped as `\0`, and `\` as `\\`. */
function toStoredHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const escaped = (text: string): string =>
    text
      .toWellFormed()
      .replaceAll(/[\\\0]/g, (char) => (char === '\0' ? String.raw`\0` : String.raw`\\`));
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [escaped(name), escaped(value)]),
  );
}

/** Reverses `toStoredHeaders`. */
export function fromStoredHeaders(
  stored: Readonly<Record<string, string>>,
): Record<string, string> {
  const plain = (text: string): string =>
    text.replaceAll(/\\([\\0])/g, (_, char: string) => (char === '0' ? '\0' : '\\'));
  return Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [plain(name), plain(value)]),
  );
}
