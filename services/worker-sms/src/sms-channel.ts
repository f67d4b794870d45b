import type { Channel, OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { providerNameOf } from '@tidings/contracts/channels/provider';
import { smsSegments } from '@tidings/contracts/channels/sms-segments';
import { createEgressHttp, type Egress } from '@tidings/egress';
import { createIdSigner, Counter, readEncryptionKeys, type IdSigner } from '@tidings/platform';
import { buildCallbackPath } from '@tidings/providers/callback-path';
import { SMS_STATUS_PURPOSE } from '@tidings/providers/sms/status-purpose';
import type { SmsConfig } from './config.ts';
import { SMS_PROVIDERS, type SmsProviderRegistry } from './providers/registry.ts';

const segmentsTotal = new Counter({
  name: 'tidings_sms_segments_total',
  help: 'SMS segments that the provider accepted and bills.',
  labelNames: ['encoding'] as const,
});

/** Settings of another version of this worker: the delivery waits until they change. */
const UNKNOWN_PROVIDER = {
  status: 'configuration',
  reason: 'provider_rejected',
  providerCode: 'unknown_provider',
  providerMessage: 'this version of the worker has no provider of this name',
} as const satisfies SendResult;

/**
 * SMS: at most once. Without a response the outcome is unknown and nothing is resent; callbacks and
 * polling resolve it. The settings of a delivery choose the provider.
 */
export function createSmsChannel(
  config: SmsConfig,
  { egress, concurrency }: { readonly egress: Egress; readonly concurrency: number },
  registry: SmsProviderRegistry<SmsConfig> = SMS_PROVIDERS,
): Channel {
  const http = createEgressHttp(config, { egress, connections: concurrency });
  const signer = createIdSigner(readEncryptionKeys(config), SMS_STATUS_PURPOSE);
  const providers = new Map(
    Object.entries(registry).map(([name, { create }]) => [name, create(config, { http })]),
  );
  const nameOf = (settings: Readonly<Record<string, unknown>>): string =>
    providerNameOf(CHANNEL_DESCRIPTORS.SMS.providers, settings);
  return {
    async send(delivery) {
      const provider = nameOf(delivery.settings);
      const statusCallback = buildStatusCallback(delivery, {
        publicBaseUrl: config.publicBaseUrl,
        provider,
        signer,
      });
      const onAccepted = (): string => noteSegments(String(delivery.message['body']));
      return (
        providers.get(provider)?.send({ delivery, statusCallback, onAccepted }) ?? UNKNOWN_PROVIDER
      );
    },
    outcomePoller: {
      afterMs: config.pollAfterMs,
      intervalMs: config.pollIntervalMs,
      untilMs: config.pollUntilMs,
      find: async (delivery, isKnown) =>
        providers.get(nameOf(delivery.settings))?.findOutcome?.(delivery, isKnown) ?? null,
    },
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
