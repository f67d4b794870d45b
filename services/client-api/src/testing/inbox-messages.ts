import { listSendingChannels } from '@tidings/accounts/channel-settings';
import type { Channel, InboxChannel } from '@tidings/contracts/channels/channels';
import { acceptCampaign, type NewCampaign } from '@tidings/delivery/accept';
import { changeDeliveryStates } from '@tidings/delivery/change-states';
import { claimChunk } from '@tidings/delivery/claims';
import { markSending } from '@tidings/delivery/mark-sending';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { deliverToInbox } from '@tidings/delivery/deliver-to-inbox';
import { readCampaign } from '@tidings/campaign-reports/reports';
import type { Database } from '@tidings/postgres/database';
import { configureChannel, expandAll, newCampaign } from '@tidings/testing';

export type ReceivedMessage = {
  readonly deliveryId: string;
  readonly campaignId: string;
  readonly channel: InboxChannel;
  readonly expiresAt: number;
  readonly message: Record<string, unknown>;
};

/**
 * Creates a campaign to a registered user, delivered to the inbox as a worker does (other channels:
 * sent). Returns it with its only delivery.
 */
export async function offerTo(
  db: Database,
  {
    applicationId,
    recipient = 'ada',
    channel = 'IN_APP',
    ...overrides
  }: {
    readonly applicationId: string;
    readonly recipient?: string;
    readonly channel?: Channel;
  } & Partial<NewCampaign>,
) {
  if (!(await listSendingChannels(db, applicationId)).has(channel))
    await configureChannel(db, applicationId, channel);
  const campaign = newCampaign({ applicationId, channel, recipients: [recipient], ...overrides });
  await acceptCampaign(db, campaign);
  await expandAll(db, campaign.campaignId);
  const claimed = await claimChunk(db, {
    campaignId: campaign.campaignId,
    chunkNo: 0,
    owner: 'worker',
    leaseMs: 60_000,
    rowsMax: 1,
  });
  const [only] = claimed;
  if (only === undefined) throw new Error('nothing to offer');
  const { deliveryId, fence } = only;
  if (channel === 'IN_APP' || channel === 'ON_SITE') await deliverToInbox(db, claimed);
  else {
    await markSending(db, claimed, 60_000);
    await changeDeliveryStates(db.sql, ['sending'], [{ deliveryId, fence, state: 'sent' }]);
  }
  return {
    ...campaign,
    deliveryId,
    read: async () => (await listDeliveries(db, campaign.campaignId, { limit: 1 }))[0],
    counts: async () => (await readCampaign(db, applicationId, campaign.campaignId))?.counts,
  };
}

/** A registered user. */
export async function registerUser(
  db: Database,
  applicationId: string,
  customUserId = 'ada',
): Promise<void> {
  await db.sql.query(
    'insert into users (id, application_id, custom_user_id, registered_at) values (uuidv7(), $1, $2, now()) on conflict do nothing',
    [applicationId, customUserId],
  );
}

export type StreamEvent = { readonly id: string; readonly data: ReceivedMessage };

/** An open event stream. */
export interface MessageStream {
  readonly status: number;
  /** Resolves with the next message. */
  next(): Promise<StreamEvent>;
  /** Whether the stream has ended. */
  ended(): Promise<boolean>;
  close(): void;
}

type StreamCall = {
  readonly headers: Readonly<Record<string, string>>;
  readonly deviceId: string;
  readonly lastEventId?: string | undefined;
  readonly query?: string;
  /** Ends the stream when no byte comes for this long. */
  readonly silenceMs?: number;
};

export async function openStream(
  url: string,
  { headers, deviceId, lastEventId, query = '', silenceMs }: StreamCall,
): Promise<MessageStream> {
  const abort = new AbortController();
  const silence =
    silenceMs === undefined ? undefined : setTimeout(() => abort.abort(), silenceMs).unref();
  const response = await fetch(`${url}/sdk/v1/messages/stream?deviceId=${deviceId}${query}`, {
    headers: { ...headers, ...(lastEventId && { 'Last-Event-ID': lastEventId }) },
    signal: abort.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const nextBlock = async (): Promise<string | null> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        return block;
      }
      const chunk = await reader?.read().catch(() => ({ done: true, value: '' }));
      if (chunk === undefined || chunk.done) return null;
      silence?.refresh();
      text += chunk.value;
    }
  };
  return {
    status: response.status,
    async next() {
      for (;;) {
        const block = await nextBlock();
        if (block === null) throw new Error('the stream has ended');
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined)
          return {
            id: /^id: (.*)$/m.exec(block)?.[1] ?? '',
            data: JSON.parse(data) as ReceivedMessage,
          };
      }
    },
    async ended() {
      let block: string | null;
      do block = await nextBlock();
      while (block !== null);
      return true;
    },
    close: () => abort.abort(),
  };
}
