import { pushServicesConfig } from '@tidings/egress';
import { integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const pushServiceConfig = {
  ...pushServicesConfig,
  pushTimeoutMs: integer('PUSH_TIMEOUT_MS', 'Timeout of requests to a push service.', {
    default: 10_000,
    min: 100,
  }),
} as const satisfies ConfigSpec;
export type PushServiceConfig = ConfigOf<typeof pushServiceConfig>;
