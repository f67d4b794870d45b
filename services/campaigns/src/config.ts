import { busConfig } from '@tidings/bus';
import { integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { databaseConfig } from '@tidings/postgres/database';
import { foldConfig } from '@tidings/segments/fold-config';

export const campaignsConfig = {
  ...busConfig,
  ...databaseConfig,
  ...foldConfig,
  sweepIntervalMs: integer(
    'SWEEP_INTERVAL_MS',
    'Interval between two sweeps for due retries, ended leases and finished campaigns.',
    {
      default: 500,
      min: 50,
    },
  ),
  redispatchAfterMs: integer(
    'REDISPATCH_AFTER_MS',
    'A chunk whose dispatch record is unread, or whose campaign is paused, is checked again after this time.',
    { default: 30_000, min: 1_000 },
  ),
  bulkDispatchRecordsMax: integer(
    'BULK_DISPATCH_RECORDS_MAX',
    'Maximum unfinished dispatch records of large campaigns per channel. Further chunks wait in the database; applications take turns.',
    { default: 36, min: 1, max: 10_000 },
  ),
} as const satisfies ConfigSpec;
export type CampaignsConfig = ConfigOf<typeof campaignsConfig>;
