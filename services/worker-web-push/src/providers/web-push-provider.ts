import type { OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import type { EgressHttp } from '@tidings/egress';

/** What the channel knows of a provider of pushes to browsers. */
export type WebPushProvider = { send(delivery: OutgoingDelivery): Promise<SendResult> };

export type WebPushProviderTools = { readonly http: EgressHttp };
