import type { Channel } from '@tidings/contracts/channels/channels';
import type { PushMessage } from '@tidings/contracts/push/push';
import type { CampaignTemplate } from '@tidings/contracts/push/templates';
import { acceptCampaign, type NewCampaign } from '@tidings/delivery/accept';
import type { Database } from '@tidings/postgres/database';
import {
  configureChannel,
  createTestApplication,
  expandAll,
  newCampaign,
  registerUsers,
} from '@tidings/testing';
import type { OutgoingDelivery } from '../channel.ts';
import { sendChunk } from '../send-chunk.ts';
import { chunkHelpers, chunkOf, unending } from './first-chunk.ts';
import { scriptedChannel } from './scripted-channel.ts';
import { testWorker } from './test-worker.ts';

/** A message that is its own template. */
export const own = (message: PushMessage): CampaignTemplate[] => [
  { slug: null, version: null, share: 1, message, variants: [] },
];

/** A phone number of one's own. */
export const phone = (index: number) => ({
  phoneNumber: `0151 123456${10 + index}`,
  phoneE164: `+49151123456${10 + index}`,
});

/** Helpers for tests of personalised campaigns of one chunk. */
export function personalCampaigns(db: Database) {
  const { deliveries } = chunkHelpers(db);

  async function createApplication(
    channel: Channel,
    users: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ) {
    const { applicationId } = await createTestApplication(db);
    await configureChannel(db, applicationId, channel);
    await registerUsers(db, applicationId, users);
    return applicationId;
  }

  async function createCampaign(
    campaign: Partial<NewCampaign> & Pick<NewCampaign, 'applicationId' | 'recipients' | 'channel'>,
  ) {
    const [template] = campaign.templates ?? [];
    const accepted = newCampaign({
      ...campaign,
      message: template?.message ?? { body: '' },
    });
    await acceptCampaign(db, accepted);
    await expandAll(db, accepted.campaignId);
    return accepted;
  }

  /** Sends a chunk, and returns what the channel got, by user. */
  async function send(campaign: NewCampaign) {
    const sent = new Map<string, OutgoingDelivery>();
    const channel = scriptedChannel((delivery) => {
      sent.set(delivery.customUserId, delivery);
      return { status: 'sent' };
    });
    const worker = testWorker(db, channel, { channelName: campaign.channel });
    await sendChunk(worker, chunkOf(campaign), unending);
    return sent;
  }

  const outcomesOf = async (campaign: NewCampaign) =>
    Object.fromEntries(
      (await deliveries(campaign)).map((delivery) => [delivery.customUserId, delivery]),
    );

  return { createApplication, createCampaign, send, outcomesOf };
}
