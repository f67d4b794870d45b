import { isMailbox } from '@tidings/contracts/channels/addresses';
import type { ChannelAddress } from '@tidings/contracts/channels/descriptor';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import type { SuppressibleChannel } from '@tidings/contracts/channels/suppressions';
import { toE164 } from '@tidings/people/e164';

/** Expected address formats, for error texts. */
export const ADDRESS_EXPECTED: Readonly<Record<ChannelAddress['kind'], string>> = {
  phone: 'a phone number with country code, or a national number of the default country',
  mailbox: 'one e-mail address',
  device: 'one address',
  identity: 'one address',
};

/** A valid address: a phone number in E.164, a mailbox without blanks around it; else null. */
export function normalAddress(
  channel: SuppressibleChannel,
  address: string,
  defaultCountry: string | undefined,
): string | null {
  switch (CHANNEL_DESCRIPTORS[channel].address.kind) {
    case 'phone':
      return toE164(address, defaultCountry);
    case 'mailbox':
      return isMailbox(address.trim()) ? address.trim() : null;
    case 'device':
    case 'identity':
      return null;
  }
}
