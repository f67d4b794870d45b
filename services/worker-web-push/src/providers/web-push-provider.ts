import type { OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import type { EgressHttp } from '@tidings/egress';

/** A provider of web push. */
export type WebPushProvider = { send(delivery: OutgoingDelivery): Promise<SendResult> };

export type WebPushProviderTools = { readonly http: EgressHttp };
