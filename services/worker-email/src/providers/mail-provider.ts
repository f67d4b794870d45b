import type { OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import type { Egress } from '@tidings/egress';
import type { MailLinks } from '../mail-links.ts';

/** A provider of e-mail. */
export type MailProvider = {
  /**
   * Sends one e-mail. `linksOf` signs its links; it is not called for a delivery that may no longer
   * begin.
   */
  send(delivery: OutgoingDelivery, linksOf: () => MailLinks): Promise<SendResult>;
  close(): void;
};

export type MailProviderTools = { readonly egress: Egress };
