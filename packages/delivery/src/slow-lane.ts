import type { StoredAudience } from '@tidings/contracts/push/push-audience';
import type { Database } from '@tidings/postgres/database';
import { definePreparedByKeys } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import type { TryBounds } from './snapshot-tries.ts';

const statement = statementsIn(import.meta.dirname);

const LEAVE = definePreparedByKeys(statement('leave-slow-lane'));
const ENTER = definePreparedByKeys(statement('enter-slow-lane'));
const NEXT = definePreparedByKeys(statement('next-in-slow-lane'));

/**
 * The campaign to try next of those whose first try took too long, or null. An application stands
 * in the lane with one campaign, and again at its end when that one has left. @callers campaigns
 */
export async function nextInSlowLane(
  db: Database,
  { retryMs, triesMax }: TryBounds,
): Promise<string | null> {
  await db.sql.query(LEAVE);
  await db.sql.query(ENTER);
  const { rows } = await db.sql.query<{ id: string }>(NEXT, [retryMs, triesMax]);
  return rows[0]?.id ?? null;
}

/** Campaigns whose first try took too long and whose recipients are not read yet. */
export async function countSlowCampaigns(db: Database): Promise<number> {
  const { rows } = await db.sql.query<{ campaigns: number }>(statement('count-slow-campaigns'));
  return rows[0]?.campaigns ?? 0;
}

/** Whether the first try of a campaign to the same audience took too long, within seven days. */
export async function hasBeenSlow(
  db: Database,
  applicationId: string,
  { segment, condition }: Pick<StoredAudience, 'segment' | 'condition'>,
): Promise<boolean> {
  const { rows } = await db.sql.query<{ has_been_slow: boolean }>(statement('has-been-slow'), [
    applicationId,
    segment,
    condition === null ? null : JSON.stringify(condition),
  ]);
  return rows[0]?.has_been_slow ?? false;
}
