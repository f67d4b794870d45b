import type { OutcomeLookUp, OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import type { EgressHttp } from '@tidings/egress';

/** One message on its way to a provider. */
export type OutgoingSms = {
  readonly delivery: OutgoingDelivery;
  /** Where the provider calls back; undefined where the installation has no public address. */
  readonly statusCallback: string | undefined;
  /** Called once when the provider has taken the text, with its parts, which it is paid for. */
  readonly noteTaken: () => string;
};

/** What the channel knows of a provider of SMS. */
export type SmsProvider = {
  /** Its name in the addresses of callbacks. */
  readonly slug: string;
  send(sms: OutgoingSms): Promise<SendResult>;
  /** Finds messages whose outcome is unknown, where the provider can. */
  readonly lookUp?: OutcomeLookUp;
};

export type SmsProviderTools = { readonly http: EgressHttp };
