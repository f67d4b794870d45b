import type { OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import type { Egress } from '@tidings/egress';
import type { Mail } from '../mail.ts';

/** What the channel knows of a provider of e-mail. */
export type MailProvider = {
  /** Sends one mail. `mailOf` makes it once the provider can take it; a delivery that may not begin has none. */
  send(delivery: OutgoingDelivery, mailOf: () => Mail): Promise<SendResult>;
  close(): void;
};

/** `concurrency`: sends at once. */
export type MailProviderTools = { readonly egress: Egress; readonly concurrency: number };
