import {
  accountsOf,
  type ChannelAccount,
  type ChannelSettings,
} from '@tidings/accounts/channel-settings';
import { ADDRESS_OF, type AddressLookup } from '@tidings/contracts/channels/addresses';
import type { Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import { type StateChange, targetOf } from '@tidings/delivery/change-states';
import type { ClaimedDelivery } from '@tidings/delivery/claims';
import type { MessageToSend } from '@tidings/liquid/compile-message';
import type { OutgoingDelivery } from './channel.ts';
import { CONFIGURATION_RETRY_MS } from './outcomes.ts';

/** A claimed delivery with its address, ready to be marked sending. */
export type Prepared = {
  readonly delivery: ClaimedDelivery;
  readonly address: string;
  /** Its own message; absent if all recipients get the campaign's. */
  readonly rendered?: MessageToSend;
};

/** The settings as if the channel had this account alone; as they are if it has none of this name. */
export function narrowToAccount(settings: ChannelSettings, name: string | null): ChannelSettings {
  const account = accountsOf(settings).find((one) => one.name === name);
  return account === undefined ? settings : { ...settings, ...account, others: [] };
}

/** Finds each delivery's address. Deliveries that cannot be sent are settled without an attempt. */
export function prepareDeliveries(
  channel: Channel,
  deliveries: readonly ClaimedDelivery[],
  settings: ChannelSettings | null,
): { readonly ready: readonly Prepared[]; readonly settled: readonly StateChange[] } {
  const isUnreadable =
    settings !== null && accountsOf(settings).every(({ secrets }) => secrets === null);
  const ready: Prepared[] = [];
  const settled: StateChange[] = [];
  for (const delivery of deliveries) {
    const claim = { ...targetOf(delivery), fence: delivery.fence };
    if (settings === null) {
      settled.push({ ...claim, state: 'failed', reason: 'channel_not_configured' });
    } else if (isUnreadable) {
      // The secrets use another encryption key. Keep the delivery until that is fixed; fail a test
      // send at once.
      if (delivery.testAddress !== null)
        settled.push({ ...claim, state: 'failed', reason: 'provider_auth' });
      else
        settled.push({
          ...claim,
          state: 'retry_wait',
          reason: 'provider_auth',
          delayMs: CONFIGURATION_RETRY_MS,
        });
    } else {
      const found = addressOf(channel, delivery);
      const refusal = 'reason' in found ? found.reason : delivery.suppression;
      if ('address' in found && refusal === null) ready.push({ delivery, address: found.address });
      else settled.push({ ...claim, state: 'failed', reason: refusal ?? 'no_address' });
    }
  }
  return { ready, settled };
}

function addressOf(channel: Channel, delivery: ClaimedDelivery): AddressLookup {
  const { device, testAddress } = delivery;
  if (device === undefined) return ADDRESS_OF[channel](profileOf(channel, delivery));
  const address = testAddress ?? device.address;
  if (address !== null) return { address };
  // The subscription existed when the delivery was created.
  return { reason: device.deviceId === null ? 'no_subscription' : 'subscription_gone' };
}

/** A test send has an address instead of a user: put it into the profile fields. */
export function profileOf(
  channel: Channel,
  { testAddress, profile }: Pick<ClaimedDelivery, 'testAddress' | 'profile'>,
): Readonly<Record<string, unknown>> {
  if (testAddress === null) return profile;
  const { testAddressFields } = CHANNEL_DESCRIPTORS[channel];
  return Object.fromEntries(testAddressFields.map((field) => [field, testAddress]));
}

/** The account that messages are sent by, and the version of the settings that it is of. */
export type Sender = {
  readonly account: ChannelAccount;
  readonly version: number;
  /** Whether the channel has others. */
  readonly isOneOfSeveral: boolean;
};

/** An only account is that of its application, whatever its name is. */
export const accountKeyOf = (
  { applicationId }: Pick<CampaignToSend, 'applicationId'>,
  { account, isOneOfSeveral }: Sender,
): string => (isOneOfSeveral ? `${applicationId}:${account.name}` : applicationId);

/** The argument of `Channel.send` for one delivery. */
export function outgoing(
  { delivery, address, rendered }: Prepared,
  { campaign, sender }: { readonly campaign: CampaignToSend; readonly sender: Sender },
  mayBegin: () => boolean,
): Omit<OutgoingDelivery, 'signal'> {
  return {
    deliveryId: delivery.deliveryId,
    fence: delivery.fence,
    campaignId: campaign.campaignId,
    applicationId: campaign.applicationId,
    customUserId: delivery.customUserId,
    serviceUserId: delivery.serviceUserId,
    address,
    ...(delivery.device?.deviceId != null && { deviceId: delivery.device.deviceId }),
    ...(rendered === undefined ? { message: campaign.message } : messageOf(rendered)),
    purpose: campaign.purpose,
    isTracked: campaign.isTracked,
    defaultSubject: campaign.defaultSubject,
    expiresAt: campaign.expiresAt,
    settings: sender.account.settings,
    secrets: readable(sender.account),
    accountKey: accountKeyOf(campaign, sender),
    settingsKey: `${accountKeyOf(campaign, sender)}:${sender.version}`,
    mayBegin,
  };
}

/** Rows of an account whose secrets cannot be read do not come this far. */
function readable({ secrets }: ChannelAccount): Readonly<Record<string, string>> {
  if (secrets === null) throw new Error('the secrets of the account cannot be read');
  return secrets;
}

/** Mails of a campaign share their body, so its values and the subject are apart. */
function messageOf({
  message,
  mailBody,
}: MessageToSend): Pick<OutgoingDelivery, 'message' | 'personal'> {
  if (mailBody === undefined) return { message };
  const { html, text } = mailBody;
  return { message: mailBody.message, personal: { subject: message.title ?? null, html, text } };
}
