import { expect } from '@jest/globals';
import type { Channel } from '@tidings/contracts/channels/channels';
import type {
  CampaignAction,
  CampaignRecord,
  CampaignStatus,
} from '@tidings/contracts/push/campaigns';
import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import type { Database } from '@tidings/postgres/database';
import {
  createSendingApplication,
  createSendingCampaign,
  newCampaign,
  recount,
  registerUsers,
  someIds,
} from '@tidings/testing';
import { acceptCampaign, type NewCampaign } from '../accept.ts';
import { changeDeliveryStates, targetKey, targetOf } from '../change-states.ts';
import { carryOutActions, type ChunkPosition } from '../chunk-actions.ts';
import { dueBulkChunks } from '../bulk.ts';
import { dueChunks, takeChunks } from '../chunks.ts';
import { claimChunk, type ClaimedDelivery } from '../claims.ts';
import { markSending } from '../mark-sending.ts';
import { controlCampaign } from '../control.ts';
import { expandNextChunks, startCampaign } from '../expand.ts';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { applyStatusUpdate } from '../status-updates.ts';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { completeCampaigns } from '../sweeps.ts';

export const LEASE_MS = 60_000;

/** Helpers for tests that control campaigns of one database and channel. */
export function controlOf(db: Database, channel: Channel = 'EMAIL') {
  const act = ({ applicationId, campaignId }: NewCampaign, action: CampaignAction) =>
    controlCampaign(db, { applicationId, campaignId, action, actor: 'key:test' });

  async function record({ applicationId, campaignId }: NewCampaign): Promise<CampaignRecord> {
    const found = await readCampaign(db, applicationId, campaignId);
    if (found === null) throw new Error('the campaign is gone');
    return found;
  }

  const claim = (
    { campaignId }: NewCampaign,
    { chunkNo = 0, rowsMax = 200, leaseMs = LEASE_MS } = {},
  ): Promise<ClaimedDelivery[]> =>
    claimChunk(db, { channel, campaignId, chunkNo, owner: 'worker', leaseMs, rowsMax });

  async function claimAndMarkSending(
    campaign: NewCampaign,
    rowsMax: number,
  ): Promise<ClaimedDelivery[]> {
    const claimed = await claim(campaign, { rowsMax });
    const marked = await markSending(db, claimed, LEASE_MS);
    return claimed.filter((claim) => marked.has(targetKey(claim)));
  }

  const settle = (deliveries: readonly ClaimedDelivery[], state: DeliveryState) =>
    changeDeliveryStates(
      db.sql,
      ['sending', 'unknown'],
      deliveries.map((delivery) => ({
        ...targetOf(delivery),
        fence: delivery.fence,
        state,
        ...(state === 'failed' && { reason: 'provider_rejected' as const }),
      })),
    );

  /** One pass over all marked chunks, as the service makes one after another. */
  async function pass(): Promise<void> {
    let position: ChunkPosition | null = null;
    do position = await carryOutActions(db, position);
    while (position !== null);
  }

  /** The counts of the report, which must be those of the rows. */
  async function countsOf(campaign: NewCampaign): Promise<Record<string, number>> {
    const { counts, failures, status } = await record(campaign);
    const { groups, failures: reasons } = await recount(db, campaign.campaignId);
    const unexpanded = counts.total - Object.values(groups).reduce((sum, n) => sum + n, 0);
    const home = status === 'canceled' ? 'canceled' : 'pending';
    const { pending, sent, failed, unknown, expired, canceled } = counts;
    const counted = Object.fromEntries(
      Object.entries({ pending, sent, failed, unknown, expired, canceled }).filter(
        ([, n]) => n > 0,
      ),
    );
    const expected = {
      ...groups,
      ...(unexpanded > 0 && { [home]: (groups[home] ?? 0) + unexpanded }),
    };
    expect(counted).toEqual(expected);
    expect(failures).toEqual(reasons);
    return counted;
  }

  const statusOf = async (campaign: NewCampaign): Promise<CampaignStatus> =>
    (await record(campaign)).status;
  const forceStatus = ({ campaignId }: NewCampaign, status: CampaignStatus) =>
    status === 'scheduled'
      ? db.sql.query("update campaigns set status = 'queued', lane = 'scheduled' where id = $1", [
          campaignId,
        ])
      : db.sql.query('update campaigns set status = $2 where id = $1', [campaignId, status]);
  const typesOf = async ({ campaignId }: NewCampaign) =>
    (await listCampaignEvents(db, campaignId, { limit: 500 })).map(({ type }) => type);
  const campaignEvents = async (campaign: NewCampaign) =>
    (await typesOf(campaign)).filter((type) => type.startsWith('campaign.'));
  const markedChunks = async ({ campaignId }: NewCampaign) =>
    (
      await db.sql.query(
        'select 1 from campaign_chunks where campaign_id = $1 and pending_action is not null',
        [campaignId],
      )
    ).rowCount;

  /** Chunks of the campaign that the sweep would dispatch now. */
  async function dispatched({ campaignId }: NewCampaign): Promise<number[]> {
    const due = [...(await dueChunks(db)), ...(await dueBulkChunks(db, 1_000))].filter(
      (chunk) => chunk.campaignId === campaignId,
    );
    return (await takeChunks(db, due, 30_000))
      .map(({ chunkNo }) => chunkNo)
      .toSorted((a, b) => a - b);
  }

  /** A campaign that is expanded but for the chunks after the first ten. */
  async function halfExpanded(count = 2_450): Promise<NewCampaign> {
    const { applicationId } = await createSendingApplication(db);
    const recipients = someIds(count);
    await registerUsers(db, applicationId, recipients);
    const campaign = newCampaign({ applicationId, recipients });
    await acceptCampaign(db, campaign);
    await startCampaign(db, campaign.campaignId);
    await expandNextChunks(db, campaign.campaignId);
    return campaign;
  }

  /** A completed campaign: in each chunk one sent, one that bounced after it was accepted, the others failed. */
  async function completed(
    count: number,
    failures: DeliveryState = 'failed',
  ): Promise<NewCampaign> {
    const campaign = await createSendingCampaign(db, { count });
    for (let chunkNo = 0; chunkNo * 200 < count; chunkNo += 1) {
      const [sent, bounced, ...failed] = await claim(campaign, { chunkNo });
      if (sent === undefined || bounced === undefined) throw new Error('too few recipients');
      await markSending(db, [sent, bounced, ...failed], LEASE_MS);
      await settle([sent, bounced], 'sent');
      await applyStatusUpdate(db, {
        deliveryId: bounced.deliveryId,
        fence: bounced.fence,
        state: 'failed',
        reason: 'provider_rejected',
      });
      await settle(failed, failures);
      // Its worker is done with it.
      await db.sql.query(
        'update campaign_chunks set due_at = null where campaign_id = $1 and chunk_no = $2',
        [campaign.campaignId, chunkNo],
      );
    }
    await completeCampaigns(db);
    return campaign;
  }

  return {
    act,
    record,
    claim,
    claimAndMarkSending,
    settle,
    pass,
    countsOf,
    statusOf,
    forceStatus,
    typesOf,
    campaignEvents,
    markedChunks,
    dispatched,
    halfExpanded,
    completed,
  };
}
