import type { Channel } from '@tidings/channel-worker';
import { createEgressHttp, type Egress } from '@tidings/egress';
import type { WebPushConfig } from './config.ts';
import { createProvider } from './providers/configured.ts';

/** Web push: at least once. A repeated push replaces the first. */
export function createWebPushChannel(
  config: WebPushConfig,
  { egress, concurrency }: { readonly egress: Egress; readonly concurrency: number },
): Channel {
  const http = createEgressHttp(config, { egress, connections: concurrency });
  const provider = createProvider(config, { http });
  return { send: (delivery) => provider.send(delivery), close: () => http.close() };
}
