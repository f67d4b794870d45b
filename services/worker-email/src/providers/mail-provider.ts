import type { OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import type { Egress } from '@tidings/egress';
import type { MailLinks } from '../mail-links.ts';

/** What the channel knows of a provider of e-mail. */
export type MailProvider = {
  /** Sends the mail of one delivery. `linksOf` signs its links; a delivery that may not begin needs none. */
  send(delivery: OutgoingDelivery, linksOf: () => MailLinks): Promise<SendResult>;
  close(): void;
};

/** `concurrency`: sends at once. */
export type MailProviderTools = { readonly egress: Egress; readonly concurrency: number };
