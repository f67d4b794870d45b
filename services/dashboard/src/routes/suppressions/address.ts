import { isMailbox, type SuppressibleChannel } from '@tidings/contracts';
import { toE164 } from '@tidings/people/e164';

/** An address as deliveries are compared with it: E.164, or the letter case of nobody; null when it is none. */
export function normalAddress(
  channel: SuppressibleChannel,
  address: string,
  defaultCountry: string | undefined,
): string | null {
  if (channel === 'SMS') return toE164(address, defaultCountry);
  const mailbox = address.trim();
  return isMailbox(mailbox) ? mailbox.toLowerCase() : null;
}
