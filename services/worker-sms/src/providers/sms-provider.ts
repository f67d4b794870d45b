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
  send(sms: OutgoingSms): Promise<SendResult>;
  /** Looks for an unknown outcome, see `OutcomePoller`. Without it callbacks alone report outcomes. */
  readonly findOutcome?: OutcomePoller['find'];
};

export type SmsProviderTools = { readonly http: EgressHttp };
