import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { toDispatchedChunk, type DispatchedChunk, type DispatchedChunkRow } from './chunks.ts';

const statement = statementsIn(import.meta.dirname);

/** The next large campaign of each application whose recipients are not all expanded yet. */
export async function bulkCampaignsToExpand(
  db: Database,
  except: readonly string[],
): Promise<string[]> {
  const { rows } = await db.sql.query<{ id: string }>(statement('bulk-campaigns-to-expand'), [
    except,
  ]);
  return rows.map((row) => row.id);
}

/**
 * Due chunks of large campaigns, of each application and channel as many at most, those that have waited longest first.
 * Campaigns that are paused keep theirs as they are.
 */
export async function dueBulkChunks(
  db: Database,
  perApplicationMax: number,
): Promise<DispatchedChunk[]> {
  const { rows } = await db.sql.query<DispatchedChunkRow>(statement('due-bulk-chunks'), [
    perApplicationMax,
  ]);
  return rows.map(toDispatchedChunk);
}
