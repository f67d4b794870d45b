import type { ChunkRef } from '@tidings/contracts/ingest/records';
import type { Database } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

const CHANGE_NOTES = definePrepared(statement('change-rendering-notes'));

/** What others noted of a chunk and did not take back: they are at it, or their process ended. */
export type RenderingNotes = {
  readonly count: number;
  /** Deliveries that were being rendered alone. */
  readonly rows: ReadonlySet<string>;
};

const NONE: RenderingNotes = { count: 0, rows: new Set() };

/**
 * Notes that rows of chunks are about to be rendered; `takeBackRendering` follows, also after a
 * failure. Results are per chunk, in the given order. @callers channel-worker
 */
export async function noteRendering(
  { sql }: Pick<Database, 'sql'>,
  chunks: readonly ChunkRef[],
): Promise<RenderingNotes[]> {
  const { rows } = await retryConflicts(() =>
    sql.query<NotesRow>(CHANGE_NOTES, [...columns(chunks), 1]),
  );
  const notes = new Map(
    rows.map(({ campaign_id: campaignId, chunk_no: chunkNo, count, rendered_rows: own }) => [
      nameOf({ campaignId, chunkNo }),
      { count, rows: new Set(own) },
    ]),
  );
  return chunks.map((chunk) => notes.get(nameOf(chunk)) ?? NONE);
}

type NotesRow = {
  readonly campaign_id: string;
  readonly chunk_no: number;
  readonly count: number;
  readonly rendered_rows: readonly string[];
};

/** @callers channel-worker */
export async function takeBackRendering(
  { sql }: Pick<Database, 'sql'>,
  chunks: readonly ChunkRef[],
): Promise<void> {
  await retryConflicts(() => sql.query(CHANGE_NOTES, [...columns(chunks), -1]));
}

/**
 * Notes that this delivery is about to be rendered alone, and takes back the note of the one before.
 * @callers channel-worker
 */
export async function noteRow(
  { sql }: Pick<Database, 'sql'>,
  { campaignId, chunkNo }: ChunkRef,
  { before, next }: { readonly before: string | null; readonly next: string | null },
): Promise<void> {
  await sql.query(statement('note-rendered-row'), [campaignId, chunkNo, before, next]);
}

/** Forgets all notes of a chunk: none of its rows ended a process. @callers channel-worker */
export async function forgetRenderings(
  { sql }: Pick<Database, 'sql'>,
  { campaignId, chunkNo }: ChunkRef,
): Promise<void> {
  await sql.query(statement('forget-renderings'), [campaignId, chunkNo]);
}

const nameOf = ({ campaignId, chunkNo }: ChunkRef): string => `${campaignId} ${chunkNo}`;

const columns = (chunks: readonly ChunkRef[]): [string[], number[]] => [
  chunks.map(({ campaignId }) => campaignId),
  chunks.map(({ chunkNo }) => chunkNo),
];
