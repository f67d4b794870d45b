import type { OutcomePoller, OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import type { EgressHttp } from '@tidings/egress';

/** One message to send. */
export type OutgoingSms = {
  readonly delivery: OutgoingDelivery;
  /** Status callback URL; undefined without a public URL. */
  readonly statusCallback: string | undefined;
  /** Called once when the provider has accepted the text, with its billed segments. */
  readonly onAccepted: () => string;
};

/** A provider of SMS. */
export type SmsProvider = {
  /** Its name in callback URLs. */
  readonly slug: string;
  send(sms: OutgoingSms): Promise<SendResult>;
  /** Polls unknown outcomes, if the provider supports it. */
  readonly outcomePoller?: OutcomePoller;
};

export type SmsProviderTools = { readonly http: EgressHttp };
