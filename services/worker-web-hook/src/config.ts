import { egressConfigs, egressHttpConfig } from '@tidings/egress';
import { integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const webHookConfig = {
  ...egressConfigs.hooks,
  ...egressHttpConfig,
  hookTimeoutMs: integer('HOOK_TIMEOUT_MS', 'Timeout of a receiver’s response to a hook.', {
    default: 15_000,
    min: 100,
  }),
} as const satisfies ConfigSpec;
/** The channel's own settings; outbound connections are shared. */
export type WebHookConfig = Omit<ConfigOf<typeof webHookConfig>, 'egressAllowedNetworks'>;
