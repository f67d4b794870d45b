import { egressConfigs, egressHttpConfig, pushServicesConfig } from '@tidings/egress';
import { integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const webPushConfig = {
  ...egressConfigs.push,
  ...egressHttpConfig,
  ...pushServicesConfig,
  pushTimeoutMs: integer(
    'PUSH_TIMEOUT_MS',
    'A push service’s answer to a push may take this long.',
    { default: 10_000, min: 100 },
  ),
} as const satisfies ConfigSpec;
/** What the channel reads; its connections are opened for it. */
export type WebPushConfig = Omit<ConfigOf<typeof webPushConfig>, 'egressAllowedNetworks'>;
