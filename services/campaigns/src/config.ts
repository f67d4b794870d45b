import { kafkaConfig } from '@tidings/bus';
import { integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { databaseConfig } from '@tidings/postgres/database';

export const campaignsConfig = {
  ...kafkaConfig,
  ...databaseConfig,
  sweepIntervalMs: integer(
    'SWEEP_INTERVAL_MS',
    'Time between two looks for due retries, ended leases and finished campaigns.',
    {
      default: 500,
      min: 50,
    },
  ),
  reannounceAfterMs: integer(
    'REANNOUNCE_AFTER_MS',
    'A chunk whose pointer still waits to be read, or whose campaign is paused, is looked at again after this time.',
    { default: 30_000, min: 1_000 },
  ),
  reconcileIntervalMs: integer(
    'RECONCILE_INTERVAL_MS',
    'Time between two looks whether the counters of campaigns are what a recount of their deliveries says; each takes the next 500 campaigns at most.',
    { default: 30_000, min: 100 },
  ),
  bulkPointersMax: integer(
    'BULK_POINTERS_MAX',
    'Chunks of large campaigns before the workers of a channel at most; the others wait, and come up by turns of their applications.',
    { default: 36, min: 1, max: 10_000 },
  ),
  deliveryRetentionDays: integer(
    'DELIVERY_RETENTION_DAYS',
    'Days after its acceptance that what became of each recipient of a campaign is kept: deliveries, attempts, the event log. The report keeps its counts.',
    { default: 90, min: 31, max: 36_500 },
  ),
  campaignRetentionDays: integer(
    'CAMPAIGN_RETENTION_DAYS',
    'Days after its acceptance that the report of a campaign is kept; not less than DELIVERY_RETENTION_DAYS.',
    {
      default: 730,
      min: 31,
      max: 36_500,
    },
  ),
  idempotencyKeyDays: integer(
    'IDEMPOTENCY_KEY_DAYS',
    'Days that the Idempotency-Key of a push is remembered.',
    { default: 7, min: 1, max: 365 },
  ),
} as const satisfies ConfigSpec;
export type CampaignsConfig = ConfigOf<typeof campaignsConfig>;
