import type { OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import type { EgressHttp } from '@tidings/egress';

/** A provider of app push. */
export type AppPushProvider = {
  send(delivery: OutgoingDelivery): Promise<SendResult>;
  close(): void;
};

export type AppPushProviderTools = { readonly http: EgressHttp };
