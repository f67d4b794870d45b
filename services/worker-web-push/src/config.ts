import { egressConfigs, egressHttpConfig } from '@tidings/egress';
import type { ConfigOf, ConfigSpec } from '@tidings/platform';
import { providerConfig } from './providers/configured.ts';

export const webPushConfig = {
  ...egressConfigs.push,
  ...egressHttpConfig,
  ...providerConfig,
} as const satisfies ConfigSpec;
/** The channel's own settings; outbound connections are shared. */
export type WebPushConfig = Omit<ConfigOf<typeof webPushConfig>, 'egressAllowedNetworks'>;
