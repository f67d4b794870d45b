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
  redispatchAfterMs: integer(
    'REDISPATCH_AFTER_MS',
    'A chunk whose pointer still waits to be read, or whose campaign is paused, is looked at again after this time.',
    { default: 30_000, min: 1_000 },
  ),
  bulkDispatchRecordsMax: integer(
    'BULK_DISPATCH_RECORDS_MAX',
    'Chunks of large campaigns before the workers of a channel at most; the others wait, and come up by turns of their applications.',
    { default: 36, min: 1, max: 10_000 },
  ),
} as const satisfies ConfigSpec;
export type CampaignsConfig = ConfigOf<typeof campaignsConfig>;
