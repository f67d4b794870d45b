import { egressConfigs, egressHttpConfig } from '@tidings/egress';
import { integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const appPushConfig = {
  ...egressConfigs.push,
  ...egressHttpConfig,
  fcmTimeoutMs: integer(
    'FCM_TIMEOUT_MS',
    'FCM’s answer to a message, and Google’s to a request for a token, may take this long.',
    { default: 10_000, min: 100 },
  ),
} as const satisfies ConfigSpec;
/** What the channel reads; its connections are opened for it. */
export type AppPushConfig = Omit<ConfigOf<typeof appPushConfig>, 'egressAllowedNetworks'>;
