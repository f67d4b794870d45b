import { EXPRESS_RECIPIENTS_MAX } from '@tidings/contracts/channels/channels';
import type { Database } from '@tidings/postgres/database';
import { definePreparedByKeys } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

const RELEASE_SCHEDULED = definePreparedByKeys(statement('release-scheduled'));

/** Maximum campaigns that one statement releases. */
export const RELEASED_MAX = 100;

/** `snapshot`: its recipients are read first. `local`, `trial`: only a part of it is sent now. */
export type ReleasedCampaign = {
  readonly campaignId: string;
  readonly lane: 'express' | 'bulk' | 'snapshot' | 'local' | 'trial';
};

/**
 * Queues campaigns whose time has come, by the clock of Postgres, oldest first. Each is released
 * once, however many processes try. @callers campaigns
 */
export async function releaseScheduled(db: Database): Promise<ReleasedCampaign[]> {
  const { rows } = await db.sql.query<{ id: string; lane: ReleasedCampaign['lane'] }>(
    RELEASE_SCHEDULED,
    [RELEASED_MAX, EXPRESS_RECIPIENTS_MAX],
  );
  return rows.map(({ id, lane }) => ({ campaignId: id, lane }));
}
