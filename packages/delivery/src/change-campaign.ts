import type { CampaignStatus } from '@tidings/contracts/push/campaigns';
import type { CampaignNames } from '@tidings/contracts/push/push-names';
import { localTimeBounds, localTimeMs } from '@tidings/contracts/push/push-schedule';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** `illegal`: it gets no other time, because it is not scheduled. */
export type ChangedCampaign =
  | { readonly outcome: 'done' | 'not_found' }
  | { readonly outcome: 'illegal'; readonly status: CampaignStatus };

/** When a campaign begins, and when the last recipients get it: milliseconds since the epoch. */
type NewTime = {
  readonly sendAt: number;
  /** The local time of each recipient; null: all get it at `sendAt`. */
  readonly sendAtLocal: string | null;
  readonly lastAt: number;
};

/** What is absent stays. */
export type CampaignChange = Partial<CampaignNames> & {
  readonly applicationId: string;
  readonly campaignId: string;
  readonly time?: NewTime;
  readonly actor: string;
};

/**
 * Changes all of it or nothing. With another time its messages live as long as before, from then. A
 * campaign that is released meanwhile is not changed. @callers api
 */
export function changeCampaign(db: Database, change: CampaignChange): Promise<ChangedCampaign> {
  const { applicationId, campaignId, time, name, tags } = change;
  return db.transaction(async (sql): Promise<ChangedCampaign> => {
    const { rows } = await sql.query<LockedCampaign>(statement('lock-campaign-to-change'), [
      campaignId,
      applicationId,
    ]);
    const [campaign] = rows;
    if (campaign === undefined) return { outcome: 'not_found' };
    if (time !== undefined) {
      if (campaign.status !== 'scheduled') return { outcome: 'illegal', status: campaign.status };
      await reschedule(sql, campaign, { ...change, time });
    }
    if (name !== undefined || tags !== undefined)
      await sql.query(statement('name-campaign'), [
        campaignId,
        name !== undefined,
        name ?? null,
        tags !== undefined,
        JSON.stringify(tags ?? []),
      ]);
    return { outcome: 'done' };
  });
}

type LockedCampaign = {
  readonly status: CampaignStatus;
  readonly send_at: Date | null;
  readonly send_at_local: string | null;
  readonly expires_at: Date;
};

async function reschedule(
  sql: Sql,
  { send_at: at, send_at_local: local, expires_at: expiresAt }: LockedCampaign,
  {
    campaignId,
    actor,
    time: { sendAt, sendAtLocal, lastAt },
  }: CampaignChange & { readonly time: NewTime },
): Promise<void> {
  const last =
    local === null ? (at?.getTime() ?? 0) : localTimeBounds(localTimeMs(local) ?? 0).last;
  await sql.query(statement('reschedule-campaign'), [
    campaignId,
    sendAt,
    lastAt + expiresAt.getTime() - last,
    `${actor}, new time ${sendAtLocal ?? new Date(sendAt).toISOString()}`,
    sendAtLocal,
  ]);
}
