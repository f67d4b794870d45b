import { expect } from '@jest/globals';
import type { NewCampaign } from '../accept.ts';
import { changeDeliveryStates, type StateChange } from '../change-states.ts';
import { claimChunk, type ClaimedDelivery, type Fenced } from '../claims.ts';
import { markSending } from '../mark-sending.ts';
import { LEASE_MS } from '../testing/controlled-campaigns.ts';
import type { Database } from '@tidings/postgres/database';

/** Helpers for tests that claim, mark and record deliveries one by one. */
export function claimHelpers(db: Database) {
  const claim = (
    { campaignId }: NewCampaign,
    { owner = 'worker-1', rowsMax = 100 } = {},
  ): Promise<ClaimedDelivery[]> =>
    claimChunk(db, { campaignId, chunkNo: 0, owner, leaseMs: LEASE_MS, rowsMax });

  async function claimOne(campaign: NewCampaign): Promise<ClaimedDelivery> {
    const [claimed] = await claim(campaign);
    if (claimed === undefined) throw new Error('nothing to claim');
    return claimed;
  }

  async function markOne(campaign: NewCampaign): Promise<ClaimedDelivery> {
    const claimed = await claimOne(campaign);
    expect(await markSending(db, [claimed], LEASE_MS)).toEqual(new Set([claimed.deliveryId]));
    return claimed;
  }

  /** As if the time of their leases had passed. */
  const endLeases = ({ campaignId }: NewCampaign) =>
    db.sql.query(
      `update deliveries set lease_until = now() - interval '1 ms' where campaign_id = $1`,
      [campaignId],
    );

  async function rowOf({ campaignId }: NewCampaign) {
    const { rows } = await db.sql.query<{
      state: string;
      reason: string | null;
      fence: number;
      attempts: number;
      next_in_ms: number;
      owner: string | null;
    }>(
      `select state, reason, fence, attempts, owner, (extract(epoch from next_at - now()) * 1000)::float8 as next_in_ms
     from deliveries where campaign_id = $1`,
      [campaignId],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('there is no delivery');
    return row;
  }

  const record = (claimed: Fenced, change: Omit<StateChange, 'deliveryId' | 'fence'>) =>
    changeDeliveryStates(
      db.sql,
      ['sending', 'unknown'],
      [{ deliveryId: claimed.deliveryId, fence: claimed.fence, ...change }],
    );

  return { claim, claimOne, markOne, endLeases, rowOf, record };
}
