import { egressConfigs, egressHttpConfig } from '@tidings/egress';
import { encryptionConfig, integer, list, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { databaseConfig } from '@tidings/postgres/database';

export const webhooksConfig = {
  ...databaseConfig,
  ...egressConfigs.hooks,
  ...egressHttpConfig,
  ...encryptionConfig,
  concurrency: integer(
    'WEBHOOK_CONCURRENCY',
    'Maximum webhooks in flight. Endpoints that are slow or fail may use half of it together.',
    { default: 100, min: 2, max: 5_000 },
  ),
  endpointConcurrency: integer(
    'WEBHOOK_ENDPOINT_CONCURRENCY',
    'Maximum webhooks in flight per endpoint; 1 while it is slow or fails.',
    { default: 10, min: 1, max: 1_000 },
  ),
  timeoutMs: integer(
    'WEBHOOK_TIMEOUT_MS',
    'Time in which an endpoint must answer, in milliseconds.',
    {
      default: 10_000,
      min: 100,
    },
  ),
  leaseMs: integer(
    'WEBHOOK_LEASE_MS',
    'Time after which a claimed webhook without an outcome is sent again, in milliseconds. At least WEBHOOK_TIMEOUT_MS + 5000.',
    { default: 60_000 },
  ),
  pollIntervalMs: integer(
    'WEBHOOK_POLL_INTERVAL_MS',
    'Time between two polls for due webhooks while there are none, in milliseconds.',
    { default: 250, min: 10 },
  ),
  retryDelaysSeconds: list(
    'WEBHOOK_RETRY_DELAYS_SECONDS',
    'Delays between the attempts for one webhook; each is extended at random by up to 20 %.',
    {
      default: ['5', '300', '1800', '7200', '18000', '36000', '36000'],
    },
  ),
  disableAfterHours: integer(
    'WEBHOOK_DISABLE_AFTER_HOURS',
    'Hours of nothing but failures after which an endpoint is disabled.',
    { default: 120, min: 1 },
  ),
} as const satisfies ConfigSpec;
export type WebhooksConfig = ConfigOf<typeof webhooksConfig>;
