import type { Channel, OutgoingDelivery } from '@tidings/channel-worker';
import { smsSegments } from '@tidings/contracts';
import { createEgressHttp, type Egress } from '@tidings/egress';
import { createIdSigner, Counter, readEncryptionKeys, type IdSigner } from '@tidings/platform';
import { buildCallbackPath } from '@tidings/providers/callback-path';
import { SMS_STATUS_PURPOSE } from '@tidings/providers/sms/status-purpose';
import type { SmsConfig } from './config.ts';
import { createProvider } from './providers/configured.ts';

const segmentsTotal = new Counter({
  name: 'tidings_sms_segments_total',
  help: 'SMS segments that the provider accepted and bills.',
  labelNames: ['encoding'] as const,
});

/**
 * SMS: at most once. Without a response the outcome is unknown and nothing is resent; callbacks and
 * polling resolve it.
 */
export function createSmsChannel(
  config: SmsConfig,
  { egress, concurrency }: { readonly egress: Egress; readonly concurrency: number },
): Channel {
  const http = createEgressHttp(config, { egress, connections: concurrency });
  const signer = createIdSigner(readEncryptionKeys(config), SMS_STATUS_PURPOSE);
  const provider = createProvider(config, { http });
  return {
    send: (delivery) =>
      provider.send({
        delivery,
        statusCallback: buildStatusCallback(delivery, {
          publicBaseUrl: config.publicBaseUrl,
          provider: provider.slug,
          signer,
        }),
        onAccepted: () => noteSegments(String(delivery.message['body'])),
      }),
    ...(provider.outcomePoller === undefined ? {} : { outcomePoller: provider.outcomePoller }),
    close: () => http.close(),
  };
}

type CallbackFacts = {
  readonly publicBaseUrl: string;
  readonly provider: string;
  readonly signer: IdSigner;
};

/**
 * The campaign id helps readers of the provider's log; the receiver trusts only the signed
 * delivery.
 */
function buildStatusCallback(
  { deliveryId, fence, campaignId }: OutgoingDelivery,
  { publicBaseUrl, provider, signer }: CallbackFacts,
): string | undefined {
  if (publicBaseUrl === '') return undefined;
  const path = buildCallbackPath({ channel: 'sms', provider, kind: 'status' });
  const id = signer.sign(deliveryId, String(fence));
  return `${publicBaseUrl.replace(/\/+$/, '')}${path}?d=${id}&c=${campaignId}`;
}

/** Returns the number of segments of a text and counts them in the metric. */
function noteSegments(text: string): string {
  const { encoding, segments } = smsSegments(text);
  segmentsTotal.inc({ encoding }, segments);
  return `${segments} segment${segments === 1 ? '' : 's'}, ${encoding}`;
}
