import type { Database } from '@tidings/postgres/database';
import { definePreparedByKeys } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import {
  toDueChunkWithRecord,
  type DueChunkWithRecord,
  type DueChunkWithRecordRow,
} from './chunks.ts';

const statement = statementsIn(import.meta.dirname);

const BULK_CAMPAIGNS_TO_EXPAND = definePreparedByKeys(statement('bulk-campaigns-to-expand'));
const DUE_BULK_CHUNKS = definePreparedByKeys(statement('due-bulk-chunks'));

/** The next large campaign of each application that is not fully expanded. */
export async function bulkCampaignsToExpand(
  db: Database,
  except: readonly string[],
): Promise<string[]> {
  const { rows } = await db.sql.query<{ id: string }>(BULK_CAMPAIGNS_TO_EXPAND, [except]);
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
  const { rows } = await db.sql.query<DueChunkWithRecordRow>(DUE_BULK_CHUNKS, [perApplicationMax]);
  return rows.map(toDueChunkWithRecord);
}
