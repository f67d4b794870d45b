import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import {
  toDueChunkWithRecord,
  type DueChunkWithRecord,
  type DueChunkWithRecordRow,
} from './chunks.ts';

const statement = statementsIn(import.meta.dirname);

/** The next large campaign of each application that is not fully expanded. */
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
 * Due chunks of large campaigns, a bounded number per application and channel, oldest first. Chunks
 * of paused campaigns are excluded.
 */
export async function dueBulkChunks(
  db: Database,
  perApplicationMax: number,
): Promise<DueChunkWithRecord[]> {
  const { rows } = await db.sql.query<DueChunkWithRecordRow>(statement('due-bulk-chunks'), [
    perApplicationMax,
  ]);
  return rows.map(toDueChunkWithRecord);
}
