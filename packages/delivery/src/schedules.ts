import { EXPRESS_RECIPIENTS_MAX } from '@tidings/contracts/channels/channels';
import type { CampaignStatus } from '@tidings/contracts/push/campaigns';
import { localTimeBounds, localTimeMs } from '@tidings/contracts/push/push-schedule';
import type { Database } from '@tidings/postgres/database';
import { definePreparedByKeys } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

const RELEASE_SCHEDULED = definePreparedByKeys(statement('release-scheduled'));

/** Maximum campaigns that one statement releases. */
export const RELEASED_MAX = 100;

/** `snapshot`: its recipients are read first. `local`: it is expanded with a local time. */
export type ReleasedCampaign = {
  readonly campaignId: string;
  readonly lane: 'express' | 'bulk' | 'snapshot' | 'local';
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

/** `illegal`: it is not scheduled. */
export type Rescheduled =
  | { readonly outcome: 'done' | 'not_found' }
  | { readonly outcome: 'illegal'; readonly status: CampaignStatus };

/** When a campaign begins, and when the last recipients get it: milliseconds since the epoch. */
export type NewTime = {
  readonly sendAt: number;
  /** The local time of each recipient; null: all get it at `sendAt`. */
  readonly sendAtLocal: string | null;
  readonly lastAt: number;
};

/**
 * Gives a scheduled campaign another time. Its messages live as long as before, from then. A campaign that is released meanwhile is not changed. @callers api
 */
export function rescheduleCampaign(
  db: Database,
  {
    applicationId,
    campaignId,
    time: { sendAt, sendAtLocal, lastAt },
    actor,
  }: {
    readonly applicationId: string;
    readonly campaignId: string;
    readonly time: NewTime;
    readonly actor: string;
  },
): Promise<Rescheduled> {
  return db.transaction(async (sql): Promise<Rescheduled> => {
    const { rows } = await sql.query<{
      status: CampaignStatus;
      send_at: Date | null;
      send_at_local: string | null;
      expires_at: Date;
    }>(statement('lock-campaign-to-reschedule'), [campaignId, applicationId]);
    const [campaign] = rows;
    if (campaign === undefined) return { outcome: 'not_found' };
    if (campaign.status !== 'scheduled') return { outcome: 'illegal', status: campaign.status };
    const { send_at_local: local } = campaign;
    const last =
      local === null
        ? (campaign.send_at?.getTime() ?? 0)
        : localTimeBounds(localTimeMs(local) ?? 0).last;
    await sql.query(statement('reschedule-campaign'), [
      campaignId,
      sendAt,
      lastAt + campaign.expires_at.getTime() - last,
      `${actor}, new time ${sendAtLocal ?? new Date(sendAt).toISOString()}`,
      sendAtLocal,
    ]);
    return { outcome: 'done' };
  });
}
