import type {
  DeadLetterDetail,
  DeadLetterErrorClass,
  DeadLetterRecord,
  DeadLetterStatus,
} from '@tidings/contracts/ingest/dead-letters';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { fromStoredHeaders } from './dead-letters.ts';

const statement = statementsIn(import.meta.dirname);

/**
 * Which dead letters a caller may see. Dead letters without a known application may hold data of
 * any application: they are for administrators of the whole installation, never for those of one
 * application.
 */
export type DeadLetterViewer = {
  readonly applicationId: string;
  readonly includesUnassigned?: boolean;
};

type Row = {
  readonly id: string;
  readonly consumer: string;
  readonly request_id: string | null;
  readonly topic: string;
  readonly partition: number;
  readonly record_offset: string;
  readonly error_class: DeadLetterErrorClass;
  readonly sql_state: string | null;
  readonly status: DeadLetterStatus;
  readonly replays: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly size: number;
};

/** A page of dead letters, newest first. */
export async function listDeadLetters(
  db: Database,
  { applicationId, includesUnassigned = false }: DeadLetterViewer,
  page: { readonly status?: DeadLetterStatus; readonly cursor?: string; readonly limit: number },
): Promise<DeadLetterRecord[]> {
  const { rows } = await db.sql.query<Row>(statement('list-dead-letters'), [
    applicationId,
    page.status ?? null,
    page.cursor ?? null,
    page.limit,
    includesUnassigned,
  ]);
  return rows.map(toRecord);
}

/**
 * A dead letter with its value as text, or as base64 if it is not UTF-8. Null when the viewer may
 * see no such dead letter.
 */
export async function readDeadLetter(
  db: Database,
  reader: DeadLetterViewer,
  deadLetterId: string,
): Promise<DeadLetterDetail | null> {
  const { rows } = await db.sql.query<Row & { readonly value: Buffer | null }>(
    statement('read-dead-letter'),
    visibleTo(reader, deadLetterId),
  );
  const [row] = rows;
  return row === undefined ? null : { ...toRecord(row), ...toText(row.value) };
}

/** The record that a replay publishes again. */
export type DeadLetterReplay = {
  readonly deadLetter: DeadLetterRecord;
  readonly key: Buffer | null;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Marks a dead letter as replaying, before its record is published: consumers apply only requested
 * replays. May be repeated while the replay is in flight, because a failed publish may have reached
 * the topic. `conflict` when it was replayed or discarded.
 * @callers api
 */
export async function requestReplay(
  db: Database,
  reader: DeadLetterViewer,
  deadLetterId: string,
): Promise<DeadLetterReplay | 'conflict' | null> {
  const { rows } = await db.sql.query<
    Row & {
      readonly record_key: Buffer | null;
      readonly value: Buffer;
      readonly headers: Record<string, string>;
    }
  >(statement('request-replay'), visibleTo(reader, deadLetterId));
  const [row] = rows;
  if (row === undefined) return (await exists(db.sql, reader, deadLetterId)) ? 'conflict' : null;
  return {
    deadLetter: toRecord(row),
    key: row.record_key,
    value: row.value,
    headers: fromStoredHeaders(row.headers),
  };
}

/** Undoes `requestReplay` when the record cannot be published. @callers api */
export async function cancelReplay(db: Database, deadLetterId: string): Promise<void> {
  await db.sql.query(statement('cancel-replay'), [deadLetterId]);
}

/**
 * Discards a dead letter: deletes key, headers and value. The entry stays until its retention ends.
 * `conflict` unless it is waiting.
 * @callers api
 */
export async function discardDeadLetter(
  db: Database,
  reader: DeadLetterViewer,
  deadLetterId: string,
): Promise<DeadLetterRecord | 'conflict' | null> {
  const { rows } = await db.sql.query<Row>(
    statement('discard-dead-letter'),
    visibleTo(reader, deadLetterId),
  );
  const [row] = rows;
  if (row !== undefined) return toRecord(row);
  return (await exists(db.sql, reader, deadLetterId)) ? 'conflict' : null;
}

async function exists(sql: Sql, reader: DeadLetterViewer, deadLetterId: string): Promise<boolean> {
  const { rowCount } = await sql.query(
    statement('dead-letter-exists'),
    visibleTo(reader, deadLetterId),
  );
  return rowCount === 1;
}

const visibleTo = (
  { applicationId, includesUnassigned = false }: DeadLetterViewer,
  deadLetterId: string,
): unknown[] => [deadLetterId, applicationId, includesUnassigned];

function toRecord(row: Row): DeadLetterRecord {
  const offset = BigInt(row.record_offset);
  return {
    id: row.id,
    consumer: row.consumer,
    requestId: row.request_id,
    topic: row.topic,
    partition: row.partition,
    offset: offset <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(offset) : offset,
    errorClass: row.error_class,
    sqlState: row.sql_state,
    status: row.status,
    replays: row.replays,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
    size: row.size,
  };
}

function toText(value: Buffer | null): {
  readonly encoding: 'utf8' | 'base64';
  readonly value: string | null;
} {
  if (value === null) return { encoding: 'utf8', value: null };
  const text = value.toString('utf8');
  return Buffer.from(text, 'utf8').equals(value)
    ? { encoding: 'utf8', value: text }
    : { encoding: 'base64', value: value.toString('base64') };
}
