import type { DeliveryReason } from './campaigns.ts';
import type { ChannelAddress } from './channels/descriptor.ts';
import { CHANNEL_DESCRIPTORS, mapChannels, type Channel } from './channels/descriptors.ts';
import { LIMITS } from './limits.ts';
import { isDeviceToken, parseWebPushSubscription } from './push-notifications.ts';

/** Where a user can be reached on a channel, or why not. */
export type AddressLookup = { readonly address: string } | { readonly reason: DeliveryReason };

type ProfileFields = Readonly<Record<string, unknown>>;

/**
 * One mailbox: a local part, `@`, labels of a host name. Nothing that could name a second one or begin a header:
 * no white space, controls, quotes, lists, groups or comments.
 */
const MAILBOX = /^[^\s\p{C}@<>(),;:\\"[\]]{1,64}@(?:[\p{L}\p{N}\p{M}_-]+\.)*[\p{L}\p{N}\p{M}_-]+$/u;
const MAILBOX_CHARS_MAX = 254;

/** Whether `text` is exactly one e-mail address, without display name, comment or list. */
export function isMailbox(text: string): boolean {
  return text.length <= MAILBOX_CHARS_MAX && MAILBOX.test(text);
}

/** The profile fields that any of the look-ups below reads. */
export const CONTACT_FIELDS = ['phoneNumber', 'hashedPhoneNumber', 'email', 'hashedEmail'] as const;
type ContactField = (typeof CONTACT_FIELDS)[number];

const contactField =
  (field: ContactField, hashedField: ContactField, isValid: (value: string) => boolean) =>
  (profile: ProfileFields): AddressLookup => {
    const value = profile[field];
    if (typeof value !== 'string' || value === '') {
      return { reason: profile[hashedField] === undefined ? 'no_address' : 'hashed_only' };
    }
    return isValid(value) ? { address: value } : { reason: 'invalid_address' };
  };

const E164 = /^\+[1-9]\d{6,14}$/;

/** Whether `text` is a phone number as providers take it. */
export function isE164(text: string): boolean {
  return E164.test(text);
}

/** What people wrote stays in the profile; the number that is called stands beside it, where there is one. */
const phoneNumber = (profile: ProfileFields): AddressLookup => {
  const written = contactField('phoneNumber', 'hashedPhoneNumber', () => true)(profile);
  if ('reason' in written) return written;
  const { phoneE164 } = profile;
  return typeof phoneE164 === 'string' && isE164(phoneE164)
    ? { address: phoneE164 }
    : { reason: 'invalid_address' };
};

/** Reached by who they are, not by an address of their own. */
const byIdentity = (): AddressLookup => ({ address: '' });
/** A device has to subscribe first; the addresses themselves stay with the devices. */
const bySubscription =
  (deviceKind: string) =>
  ({ deviceKinds }: ProfileFields): AddressLookup =>
    Array.isArray(deviceKinds) && deviceKinds.includes(deviceKind)
      ? { address: '' }
      : { reason: 'no_subscription' };

const mailbox = contactField('email', 'hashedEmail', isMailbox);

function lookupOf(address: ChannelAddress): (profile: ProfileFields) => AddressLookup {
  switch (address.kind) {
    case 'phone':
      return phoneNumber;
    case 'mailbox':
      return mailbox;
    case 'device':
      return bySubscription(address.deviceKind);
    case 'identity':
      return byIdentity;
  }
}

/**
 * How each channel finds a user's address in the profile, to which are added `phoneE164`, where it is known, and
 * `deviceKinds`, the kinds of devices that the user is reached by.
 */
export const ADDRESS_OF = mapChannels(({ address }) => lookupOf(address));

/** Subscriptions and tokens: what an index of Postgres takes. */
const DEVICE_ADDRESS_CHARS_MAX = 2_000;

/** How long the address of a test send may be. */
export const TEST_ADDRESS_CHARS_MAX = mapChannels(({ address }) =>
  address.kind === 'device' ? DEVICE_ADDRESS_CHARS_MAX : LIMITS.customUserIdCharsMax,
);

/** Whether a test send can go to this address. Where a message goes to a user by id, it is that id. */
export function isTestAddress(channel: Channel, to: string): boolean {
  const { address } = CHANNEL_DESCRIPTORS[channel];
  switch (address.kind) {
    case 'phone':
      return isE164(to);
    case 'mailbox':
      return isMailbox(to);
    case 'device':
      return address.deviceKind === 'fcm'
        ? isDeviceToken(to)
        : parseWebPushSubscription(to) !== null;
    case 'identity':
      return to !== '' && to.length <= LIMITS.customUserIdCharsMax;
  }
}
