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
    'Webhooks in flight at most; endpoints that are slow or fail have half of it together.',
    { default: 100, min: 2, max: 5_000 },
  ),
  endpointConcurrency: integer(
    'WEBHOOK_ENDPOINT_CONCURRENCY',
    'Webhooks in flight to one endpoint at most; one, while it is slow or fails.',
    { default: 10, min: 1, max: 1_000 },
  ),
  timeoutMs: integer('WEBHOOK_TIMEOUT_MS', 'An endpoint must have answered by then.', {
    default: 10_000,
    min: 100,
  }),
  leaseMs: integer(
    'WEBHOOK_LEASE_MS',
    'A webhook without an outcome by then is sent again by whoever finds it. Longer than the timeout by 5 s or more.',
    { default: 60_000 },
  ),
  pollIntervalMs: integer(
    'WEBHOOK_POLL_INTERVAL_MS',
    'Time between two looks for due webhooks while there are none.',
    { default: 250, min: 10 },
  ),
  retryDelaysSeconds: list(
    'WEBHOOK_RETRY_DELAYS_SECONDS',
    'Times between the attempts for one webhook, each up to a fifth longer.',
    {
      default: ['5', '300', '1800', '7200', '18000', '36000', '36000'],
    },
  ),
  disableAfterHours: integer(
    'WEBHOOK_DISABLE_AFTER_HOURS',
    'An endpoint that only failed for this long is switched off.',
    { default: 120, min: 1 },
  ),
} as const satisfies ConfigSpec;
export type WebhooksConfig = ConfigOf<typeof webhooksConfig>;
