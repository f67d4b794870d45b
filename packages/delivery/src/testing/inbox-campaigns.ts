import type { InboxChannel } from '@tidings/contracts/channels/channels';
import type { CampaignAction } from '@tidings/contracts/push/campaigns';
import { acceptCampaign, type NewCampaign } from '../accept.ts';
import { carryOutActions, type ChunkPosition } from '../chunk-actions.ts';
import { claimChunk } from '../claims.ts';
import { controlCampaign } from '../control.ts';
import { leaseMessages } from '../inbox.ts';
import { applyDeliveryUpdates } from '../delivery-updates.ts';
import { deliverToInbox } from '../deliver-to-inbox.ts';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { registerDevice } from '@tidings/people/devices/device-users';
import { systemClock, systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import {
  configureChannel,
  createSendingCampaign,
  createTestApplication,
  expandAll,
  newCampaign,
} from '@tidings/testing';

export const LEASE = { leaseMs: 30_000 };

type Asking = { readonly applicationId: string; readonly deviceId: string };

export const oneOf = <T>([first]: readonly T[]): T => {
  if (first === undefined) throw new Error('there is none');
  return first;
};

/** Helpers for tests of messages that wait in the inbox. */
export function inboxHelpers(db: Database) {
  const claim = ({ campaignId }: NewCampaign, leaseMs = 60_000) =>
    claimChunk(db, { campaignId, chunkNo: 0, owner: 'worker', leaseMs, rowsMax: 200 });

  async function createApplication() {
    const { applicationId } = await createTestApplication(db);
    await configureChannel(db, applicationId, 'IN_APP');
    await configureChannel(db, applicationId, 'ON_SITE');
    return applicationId;
  }

  /** A campaign to some users, claimed and delivered to the inbox. */
  async function offered({
    channel = 'IN_APP',
    ...overrides
  }: Partial<NewCampaign> & { readonly count?: number } = {}) {
    const campaign = await createSendingCampaign(db, {
      applicationId: overrides.applicationId ?? (await createApplication()),
      channel,
      ...overrides,
    });
    const claimed = await claim(campaign);
    await deliverToInbox(db, claimed);
    return campaign;
  }

  /** One more message to a known user. */
  async function offeredAgain(applicationId: string, recipient: string) {
    await deliverToInbox(db, await claim(await accepted(applicationId, recipient)));
  }

  async function accepted(applicationId: string, recipient: string) {
    const campaign = newCampaign({ applicationId, channel: 'IN_APP', recipients: [recipient] });
    await acceptCampaign(db, campaign);
    await expandAll(db, campaign.campaignId);
    return campaign;
  }

  const device = async (
    applicationId: string,
    customUserId: string | null,
    deviceId = systemIds.uuid(),
  ) =>
    registerDevice(db, systemClock, {
      applicationId,
      deviceId,
      customUserId,
      facts: { kind: 'none', address: null },
    });

  const ask = (
    { applicationId, deviceId }: Asking,
    {
      channel = null,
      stream = systemIds.uuid(),
      messagesMax = 10,
    }: { channel?: InboxChannel | null; stream?: string; messagesMax?: number } = {},
  ) => ({ applicationId, deviceId, channel, stream, messagesMax });

  const fetchAs = async (
    asking: Asking,
    {
      leaseMs = LEASE.leaseMs,
      ...options
    }: Parameters<typeof ask>[1] & { readonly leaseMs?: number } = {},
  ) => (await leaseMessages(db, [ask(asking, options)], { leaseMs }))[0]?.messages ?? [];

  const act = ({ applicationId, campaignId }: NewCampaign, action: CampaignAction) =>
    controlCampaign(db, { applicationId, campaignId, action, actor: 'key:test' });

  const countsOf = async ({ applicationId, campaignId }: NewCampaign) =>
    (await readCampaign(db, applicationId, campaignId))?.counts;

  const inboxOf = async ({ campaignId }: NewCampaign) =>
    (await db.sql.query('select 1 from inbox where campaign_id = $1', [campaignId])).rowCount;

  const shown = (deliveryId: string) =>
    applyDeliveryUpdates(db, [{ deliveryId, outcome: 'displayed' }]);

  async function carryOut() {
    let position: ChunkPosition | null = null;
    do position = await carryOutActions(db, position);
    while (position !== null);
  }

  return {
    claim,
    createApplication,
    offered,
    offeredAgain,
    accepted,
    device,
    ask,
    fetchAs,
    act,
    countsOf,
    inboxOf,
    shown,
    carryOut,
  };
}
