import { egressHttpConfig } from '@tidings/egress';
import { integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const webHookConfig = {
  ...egressHttpConfig,
  hookTimeoutMs: integer('HOOK_TIMEOUT_MS', 'A receiver’s answer to a hook may take this long.', { default: 15_000, min: 100 }),
} as const satisfies ConfigSpec;
export type WebHookConfig = ConfigOf<typeof webHookConfig>;
