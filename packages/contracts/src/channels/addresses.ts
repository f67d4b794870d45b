import type { DeliveryReason } from '../push/deliveries.ts';
import type { ChannelAddress } from './descriptor.ts';
import { CHANNEL_DESCRIPTORS, mapChannels, type Channel } from './descriptors.ts';
import { LIMITS } from '../limits.ts';
import { isDeviceToken, parseWebPushSubscription } from './push-notifications.ts';

/** The address of a user on a channel, or the reason why there is none. */
export type AddressLookup = { readonly address: string } | { readonly reason: DeliveryReason };

type ProfileFields = Readonly<Record<string, unknown>>;

/**
 * One mailbox: a local part, `@` and a host name. Excludes everything that could add a second
 * mailbox or start a header: white space, controls, quotes, lists, groups, comments.
 */
const MAILBOX = /^[^\s\p{C}@<>(),;:\\"[\]]{1,64}@(?:[\p{L}\p{N}\p{M}_-]+\.)*[\p{L}\p{N}\p{M}_-]+$/u;
const MAILBOX_CHARS_MAX = 254;

/** Whether `text` is exactly one e-mail address, without display name, comment or list. */
export function isMailbox(text: string): boolean {
  return text.length <= MAILBOX_CHARS_MAX && MAILBOX.test(text);
}

/** The profile fields that the functions below read. */
export const CONTACT_FIELDS = ['phoneNumber', 'hashedPhoneNumber', 'email', 'hashedEmail'] as const;
type ContactField = (typeof CONTACT_FIELDS)[number];

const contactField =
  (field: ContactField, hashedField: ContactField, isValid: (value: string) => boolean) =>
  (profile: ProfileFields): AddressLookup => {
    const value = profile[field];
    if (typeof value !== 'string' || value === '') {
      return { reason: profile[hashedField] === undefined ? 'no_address' : 'hashed_only' };
    }
    // As in a suppression: blanks around an address come from forms and spreadsheets.
    const address = value.trim();
    return isValid(address) ? { address } : { reason: 'invalid_address' };
  };

const E164 = /^\+[1-9]\d{6,14}$/;

/** Whether `text` is a phone number in E.164 form. */
export function isE164(text: string): boolean {
  return E164.test(text);
}

/**
 * The profile keeps the number as entered; `phoneE164` holds the normalised number, if it is valid.
 */
const phoneNumber = (profile: ProfileFields): AddressLookup => {
  const written = contactField('phoneNumber', 'hashedPhoneNumber', () => true)(profile);
  if ('reason' in written) return written;
  const { phoneE164 } = profile;
  return typeof phoneE164 === 'string' && isE164(phoneE164)
    ? { address: phoneE164 }
    : { reason: 'invalid_address' };
};

/** Reached by user id, without an address. */
const byIdentity = (): AddressLookup => ({ address: '' });
/** Requires a subscribed device; the devices hold the addresses. */
const bySubscription =
  (deviceKind: string) =>
  ({ deviceKinds }: ProfileFields): AddressLookup =>
    Array.isArray(deviceKinds) && deviceKinds.includes(deviceKind)
      ? { address: '' }
      : { reason: 'no_subscription' };

const mailbox = contactField('email', 'hashedEmail', isMailbox);

function createLookup(address: ChannelAddress): (profile: ProfileFields) => AddressLookup {
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
 * Finds the address of a user on each channel in the profile, extended by `phoneE164`, if known,
 * and `deviceKinds`, the kinds of the user's devices.
 */
export const ADDRESS_OF = mapChannels(({ address }) => createLookup(address));

/** Subscriptions and tokens: the length that a Postgres index accepts. */
const DEVICE_ADDRESS_CHARS_MAX = 2_000;

/** Maximum length of the address of a test send. */
export const TEST_ADDRESS_CHARS_MAX = mapChannels(({ address }) =>
  address.kind === 'device' ? DEVICE_ADDRESS_CHARS_MAX : LIMITS.customUserIdCharsMax,
);

/**
 * Whether a test send can go to this address. On channels that reach users by id, the address is
 * the id.
 */
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
