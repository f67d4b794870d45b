import { setTimeout as delay } from 'node:timers/promises';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import { callApi, type ApiAccess } from '@tidings/install';
import type { DeliveryLine } from './report.ts';

type Action = {
  readonly action: 'opened' | 'displayed' | 'clicked' | 'dismissed';
  readonly choice?: number;
};
const OPEN: Action = { action: 'opened' };
const LOOK: Action = { action: 'displayed' };
const CLICK: Action = { action: 'clicked' };
const CLICK_FIRST_BUTTON: Action = { action: 'clicked', choice: 0 };
const DISMISS: Action = { action: 'dismissed' };

/** Actions of the first, second and third user. They differ, so that the counts differ. */
const ACTIONS: Readonly<Partial<Record<Channel, readonly (readonly Action[])[]>>> = {
  EMAIL: [[OPEN, CLICK], [OPEN], []],
  WEB_PUSH: [[CLICK_FIRST_BUTTON], [DISMISS], []],
  APP_PUSH: [[CLICK], [LOOK], []],
  IN_APP: [[CLICK], [DISMISS], []],
  ON_SITE: [[CLICK], [CLICK], [DISMISS]],
};
/** Empty for channels without reported actions. */
const actionsFor = (channel: Channel) => ACTIONS[channel] ?? [];
/** Channels whose devices report `displayed` by themselves. */
const SHOWN_TO_ALL: readonly Channel[] = ['WEB_PUSH', 'IN_APP', 'ON_SITE'];

/** A link hit is counted two seconds later, a receipt at once. */
const REPORTED_WITHIN_MS = 30_000;
const POLL_MS = 150;

export type Reading = {
  readonly api: ApiAccess;
  readonly sandbox: ApiAccess;
  readonly customUserIds: readonly string[];
  readonly signal: AbortSignal;
};

/**
 * Simulates readers: performs each user's actions on the messages of a campaign, through the
 * sandbox.
 */
export async function simulateReaders(
  { campaignId, channel }: CampaignRecord,
  { api, sandbox, customUserIds }: Reading,
): Promise<void> {
  const { items } = await callApi<{
    items: readonly (DeliveryLine & { readonly deliveryId: string })[];
  }>(api, { path: `/api/v1/campaigns/${campaignId}/deliveries?limit=100` });
  const { messages } = await callApi<{
    messages: readonly { readonly deliveryId: string | null; readonly to: string }[];
  }>(sandbox, { path: `/api/messages?campaignId=${campaignId}&limit=100` });
  for (const [person, actions] of actionsFor(channel).entries()) {
    const deliveryId = items.find(
      ({ customUserId }) => customUserId === customUserIds[person],
    )?.deliveryId;
    const to = messages.find((message) => message.deliveryId === deliveryId)?.to;
    for (const action of actions)
      await callApi(sandbox, {
        method: 'POST',
        path: '/api/actions',
        body: { campaignId, deliveryId, to, ...action },
      });
  }
}

/** Resolves with the campaign report once it counts all actions. @throws after 30 s */
export async function awaitRead(
  { campaignId, channel }: CampaignRecord,
  { api, customUserIds, signal }: Reading,
): Promise<CampaignRecord> {
  const expected = expectedCounts(channel, customUserIds.length);
  for (
    const deadline = Date.now() + REPORTED_WITHIN_MS;
    ;
    await delay(POLL_MS, undefined, { signal })
  ) {
    const campaign = await callApi<CampaignRecord>(api, {
      path: `/api/v1/campaigns/${campaignId}`,
    });
    const wrong = Object.entries(expected).filter(
      ([name, number]) => campaign.counts[name as keyof typeof expected] !== number,
    );
    if (wrong.length === 0) return campaign;
    if (Date.now() > deadline) {
      throw new Error(
        `The report of the ${channel} campaign ${campaignId} should say ${wrong.map(([name, number]) => `${number} ${name}, not ${campaign.counts[name as keyof typeof expected]}`).join('; ')}.`,
      );
    }
  }
}

/** Expected counts of the report: a click implies an open, and any action implies `displayed`. */
export function expectedCounts(channel: Channel, users: number) {
  const having = (...names: readonly Action['action'][]): number =>
    actionsFor(channel).filter((actions) => actions.some(({ action }) => names.includes(action)))
      .length;
  const displayed = SHOWN_TO_ALL.includes(channel)
    ? users
    : having('opened', 'displayed', 'clicked', 'dismissed');
  const hasProviderReceipts = channel === 'SMS' || channel === 'APP_PUSH';
  return {
    delivered: hasProviderReceipts ? users : displayed,
    displayed,
    opened: having('opened', 'clicked'),
    clicked: having('clicked'),
  };
}
