import { CHANNEL_DESCRIPTORS, isMailbox, type SuppressibleChannel } from '@tidings/contracts';
import { toE164 } from '@tidings/people/e164';

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
