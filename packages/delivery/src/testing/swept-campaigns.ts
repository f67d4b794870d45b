import { expandAll, newCampaign } from '@tidings/testing';
import { acceptCampaign, type NewCampaign } from '../accept.ts';
import { claimChunk } from '../claims.ts';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { ROWS_PER_SWEEP } from '../sweeps.ts';
import type { Database } from '@tidings/postgres/database';

export async function allRows(sweep: () => Promise<number>): Promise<void> {
  while ((await sweep()) >= ROWS_PER_SWEEP);
}

/** Helpers for tests of sweeps. */
export function sweepHelpers(db: Database) {
  const report = ({ applicationId, campaignId }: NewCampaign) =>
    readCampaign(db, applicationId, campaignId);

  async function expanded(
    overrides: Partial<NewCampaign> & Pick<NewCampaign, 'applicationId'>,
  ): Promise<NewCampaign> {
    const campaign = newCampaign(overrides);
    await acceptCampaign(db, campaign);
    await expandAll(db, campaign.campaignId);
    return campaign;
  }

  const claimAll = ({ campaignId }: NewCampaign) =>
    claimChunk(db, { campaignId, chunkNo: 0, owner: 'worker', leaseMs: 60_000, rowsMax: 200 });

  async function endLeases({ campaignId }: NewCampaign): Promise<void> {
    await db.sql.query(
      `update deliveries set lease_until = now() - interval '1 ms' where campaign_id = $1 and lease_until is not null`,
      [campaignId],
    );
    await db.sql.query(
      `update campaign_chunks set leased_until = now() - interval '1 ms' where campaign_id = $1 and leased_until is not null`,
      [campaignId],
    );
  }

  async function leasesOfChunk({ campaignId }: NewCampaign): Promise<number | null> {
    const { rows } = await db.sql.query<{ seconds: number | null }>(
      'select round(extract(epoch from leased_until - now()))::int as seconds from campaign_chunks where campaign_id = $1',
      [campaignId],
    );
    return rows[0]?.seconds ?? null;
  }

  return { report, expanded, claimAll, endLeases, leasesOfChunk };
}
