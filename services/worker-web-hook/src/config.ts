import { egressConfigs, egressHttpConfig } from '@tidings/egress';
import { integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const webHookConfig = {
  ...egressConfigs.hooks,
  ...egressHttpConfig,
  hookTimeoutMs: integer('HOOK_TIMEOUT_MS', 'A receiver’s answer to a hook may take this long.', {
    default: 15_000,
    min: 100,
  }),
} as const satisfies ConfigSpec;
/** What the channel reads; its connections are opened for it. */
export type WebHookConfig = Omit<ConfigOf<typeof webHookConfig>, 'egressAllowedNetworks'>;
