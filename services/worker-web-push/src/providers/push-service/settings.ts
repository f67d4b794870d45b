import { pushServicesConfig } from '@tidings/egress';
import { integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const pushServiceConfig = {
  ...pushServicesConfig,
  pushTimeoutMs: integer(
    'PUSH_TIMEOUT_MS',
    'A push service’s answer to a push may take this long.',
    { default: 10_000, min: 100 },
  ),
} as const satisfies ConfigSpec;
export type PushServiceConfig = ConfigOf<typeof pushServiceConfig>;
