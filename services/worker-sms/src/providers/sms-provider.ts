import type { OutcomePoller, OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import type { EgressHttp } from '@tidings/egress';

/** One message on its way to a provider. */
export type OutgoingSms = {
  readonly delivery: OutgoingDelivery;
  /** Where the provider calls back; undefined where the installation has no public address. */
  readonly statusCallback: string | undefined;
  /** Called once when the provider has taken the text, with its parts, which it is paid for. */
  readonly onAccepted: () => string;
};

/** What the channel knows of a provider of SMS. */
export type SmsProvider = {
  /** Its name in the addresses of callbacks. */
  readonly slug: string;
  send(sms: OutgoingSms): Promise<SendResult>;
  /** Finds messages whose outcome is unknown, where the provider can. */
  readonly outcomePoller?: OutcomePoller;
};

export type SmsProviderTools = { readonly http: EgressHttp };
