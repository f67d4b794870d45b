import type { DeadLetterErrorClass } from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { createHash } from 'node:crypto';
import type { IngestConsumer } from './take-records.ts';

const statement = statementsIn(import.meta.dirname);

/** A record to be set aside, as it stood on its topic. */
export type NewDeadLetter = {
  readonly id: string;
  readonly consumer: IngestConsumer;
  /** Null where the headers do not say. */
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
 * Writes a letter; false when this consumer has set the same record aside before. Every value can be stored, whatever is
 * in the record: a letter that could not be written would hold up its partition for ever. @callers ingest-consumer
 */
export async function insertDeadLetter(sql: Sql, letter: NewDeadLetter): Promise<boolean> {
  const headers = JSON.stringify(toStoredHeaders(letter.headers));
  const { rowCount } = await sql.query(
    // An application that does not exist has nobody to read its letters: they are then shown to every administrator.
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

/** Which letter is replayed, and by whom. */
export type RequestedReplay = { readonly deadLetterId: string; readonly consumer: IngestConsumer };

/**
 * Takes a replay: false unless somebody has asked for it and it was not taken since, so that each asking has one effect
 * however often its record is delivered. First statement of the replay's transaction. @callers ingest-consumer
 */
export async function claimReplay(
  sql: Sql,
  { deadLetterId, consumer }: RequestedReplay,
): Promise<boolean> {
  const { rowCount } = await sql.query(statement('claim-replay'), [deadLetterId, consumer]);
  return rowCount === 1;
}

/** A replay that was refused again: its letter waits as before; false when nobody has asked for it. @callers ingest-consumer */
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

/** jsonb holds neither U+0000 nor lone surrogates. The former is written `\0`, and so `\` is written `\\`. */
function toStoredHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const escaped = (text: string): string =>
    text
      .toWellFormed()
      .replaceAll(/[\\\0]/g, (char) => (char === '\0' ? String.raw`\0` : String.raw`\\`));
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [escaped(name), escaped(value)]),
  );
}

/** The headers as they were. */
export function fromStoredHeaders(
  stored: Readonly<Record<string, string>>,
): Record<string, string> {
  const plain = (text: string): string =>
    text.replaceAll(/\\([\\0])/g, (_, char: string) => (char === '0' ? '\0' : '\\'));
  return Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [plain(name), plain(value)]),
  );
}
