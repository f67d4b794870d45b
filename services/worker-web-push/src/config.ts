import { egressConfigs, egressHttpConfig } from '@tidings/egress';
import type { ConfigOf, ConfigSpec } from '@tidings/platform';
import { providerConfig } from './providers/configured.ts';

export const webPushConfig = {
  ...egressConfigs.push,
  ...egressHttpConfig,
  ...providerConfig,
} as const satisfies ConfigSpec;
/** What the channel reads; its connections are opened for it. */
export type WebPushConfig = Omit<ConfigOf<typeof webPushConfig>, 'egressAllowedNetworks'>;
