import {
  CHANNEL_DESCRIPTORS,
  isMailbox,
  type ChannelAddress,
  type SuppressibleChannel,
} from '@tidings/contracts';
import { toE164 } from '@tidings/people/e164';

/** What an address of each kind is, in errors. */
export const ADDRESS_EXPECTED: Readonly<Record<ChannelAddress['kind'], string>> = {
  phone: 'a phone number with its country code, or of the default country',
  mailbox: 'one e-mail address',
  device: 'one address',
  identity: 'one address',
};

/** An address as deliveries are compared with it: E.164, or the letter case of nobody; null when it is none. */
export function normalAddress(
  channel: SuppressibleChannel,
  address: string,
  defaultCountry: string | undefined,
): string | null {
  switch (CHANNEL_DESCRIPTORS[channel].address.kind) {
    case 'phone':
      return toE164(address, defaultCountry);
    case 'mailbox':
      return isMailbox(address.trim()) ? address.trim().toLowerCase() : null;
    case 'device':
    case 'identity':
      return null;
  }
}
