import type { Channel } from './channels.ts';
import { CHANNEL_DESCRIPTORS } from './descriptors.ts';

/** Why a delivery is sent by this account, of several. */
export const ACCOUNT_REASONS = [
  // The first in their order, and by their shares.
  'order',
  'share',
  // It is one of those that send to the country of the number.
  'country',
  // The one before it was passed over.
  'breaker_open',
  'paused',
  // The one before it certainly did not accept the message.
  'not_accepted',
] as const;
export type AccountReason = (typeof ACCOUNT_REASONS)[number];

/** The account that an attempt is made by. */
export type AccountChoice = { readonly account: string; readonly reason: AccountReason };

/** Whether the channel may have several: subscriptions and tokens belong to one. */
export function mayHaveAccounts(channel: Channel): boolean {
  const { kind } = CHANNEL_DESCRIPTORS[channel].address;
  return kind === 'phone' || kind === 'mailbox';
}

/** Whether its accounts may be for some countries. */
export function hasCountries(channel: Channel): boolean {
  return CHANNEL_DESCRIPTORS[channel].address.kind === 'phone';
}
