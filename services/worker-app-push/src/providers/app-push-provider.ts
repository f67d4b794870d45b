import type { OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import type { EgressHttp } from '@tidings/egress';

/** What the channel knows of a provider of pushes to apps. */
export type AppPushProvider = {
  send(delivery: OutgoingDelivery): Promise<SendResult>;
  close(): void;
};

export type AppPushProviderTools = { readonly http: EgressHttp };
