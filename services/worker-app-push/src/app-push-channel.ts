import type { Channel } from '@tidings/channel-worker';
import { createEgressHttp, type Egress } from '@tidings/egress';
import type { AppPushConfig } from './config.ts';
import { createProvider } from './providers/configured.ts';

/** App push: at least once. A repeated message replaces the first on the device. */
export function createAppPushChannel(
  config: AppPushConfig,
  { egress, concurrency }: { readonly egress: Egress; readonly concurrency: number },
): Channel {
  const http = createEgressHttp(config, { egress, connections: concurrency });
  const provider = createProvider(config, { http });
  return {
    send: (delivery) => provider.send(delivery),
    async close() {
      provider.close();
      await http.close();
    },
  };
}
