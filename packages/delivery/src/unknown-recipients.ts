import type { ChunkRef } from '@tidings/contracts/ingest/records';
import { UNKNOWN_RECIPIENT_RETRY_SECONDS } from '@tidings/contracts/push/campaigns';
import type { Database } from '@tidings/postgres/database';
import { definePreparedByKeys } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { changeDeliveryStates, type StateChange } from './change-states.ts';
import { wakeChunks } from './chunks.ts';
import { chunkKey, holdUntilLocalTime } from './local-times.ts';
import { ROWS_PER_SWEEP } from './sweeps.ts';

const statement = statementsIn(import.meta.dirname);

const FIND_UNKNOWN_RECIPIENTS = definePreparedByKeys(statement('find-unknown-recipients'));
const SET_RECIPIENTS_FOUND = definePreparedByKeys(statement('set-recipients-found'));
const END_RECIPIENT_LOOKUP = definePreparedByKeys(statement('end-recipient-lookup'));

/**
 * Resolves recipients that were unknown at expansion: those registered since are queued, those
 * still unknown after the lookup time fail. Each call handles a bounded number: expired first, then
 * newest first. So a campaign with very many unknown recipients delays only its own lookups.
 * Returns how many changed. @callers campaigns
 */
export async function resolveUnknownRecipients(db: Database): Promise<number> {
  return db.transaction(async (sql) => {
    const { rows } = await sql.query<{ id: string; user_id: string | null }>(
      FIND_UNKNOWN_RECIPIENTS,
      [UNKNOWN_RECIPIENT_RETRY_SECONDS, ROWS_PER_SWEEP],
    );
    const known = rows.filter((row) => row.user_id !== null);
    const { rows: found } = await sql.query<{
      id: string;
      campaign_id: string;
      chunk_no: number;
      is_ready: boolean;
      is_local: boolean | null;
      is_heard: boolean | null;
    }>(SET_RECIPIENTS_FOUND, [known.map((row) => row.id), known.map((row) => row.user_id)]);
    await changeDeliveryStates(
      sql,
      ['pending'],
      [
        ...rows
          .filter((row) => row.user_id === null)
          .map((row): StateChange => ({
            deliveryId: row.id,
            fence: null,
            state: 'failed',
            reason: 'unknown_user',
          })),
        ...found
          .filter((row) => !row.is_ready)
          .map((row): StateChange => ({
            deliveryId: row.id,
            fence: null,
            state: 'failed',
            reason: 'channel_not_configured',
            isHeard: row.is_heard ?? false,
          })),
      ],
    );
    await wakeChunks(
      sql,
      found
        .filter((row) => row.is_ready)
        .map((row) => ({ campaignId: row.campaign_id, chunkNo: row.chunk_no })),
    );
    const local = found.filter((row) => row.is_ready && row.is_local === true);
    if (local.length > 0)
      await holdUntilLocalTime(sql, distinctChunks(local), new Set(local.map(({ id }) => id)));
    await sql.query(END_RECIPIENT_LOOKUP, [UNKNOWN_RECIPIENT_RETRY_SECONDS, ROWS_PER_SWEEP]);
    return rows.length;
  });
}

function distinctChunks(
  rows: readonly { readonly campaign_id: string; readonly chunk_no: number }[],
): ChunkRef[] {
  const chunks = rows.map((row) => ({ campaignId: row.campaign_id, chunkNo: row.chunk_no }));
  return [...new Map(chunks.map((chunk) => [chunkKey(chunk), chunk])).values()];
}
