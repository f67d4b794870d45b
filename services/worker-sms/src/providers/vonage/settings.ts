import { integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const vonageConfig = {
  vonageTimeoutMs: integer('VONAGE_TIMEOUT_MS', 'Timeout of requests to Vonage.', {
    default: 10_000,
    min: 100,
  }),
} as const satisfies ConfigSpec;
export type VonageConfig = ConfigOf<typeof vonageConfig>;
