import { encryptionConfig, integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { databaseConfig } from '@tidings/postgres/database';

export const schedulerConfig = {
  ...databaseConfig,
  ...encryptionConfig,
  auditRetentionDays: integer(
    'AUDIT_RETENTION_DAYS',
    'Days that entries of the audit log are kept, 30 or more; 0 is for ever.',
    { default: 730 },
  ),
  chartRetentionDays: integer(
    'CHART_RETENTION_DAYS',
    'Days that charts of events and revenue go back, by event time; of what is older the sums alone stay. 0 is for ever.',
    { default: 730 },
  ),
  deviceRetentionDays: integer(
    'DEVICE_RETENTION_DAYS',
    'Days after which a device that nobody was identified on, and that was not seen since, is forgotten.',
    { default: 180, min: 30 },
  ),
  retentionDays: integer(
    'RETENTION_DAYS',
    'Days that receipts, duplicate keys, held events, refused requests, dead letters, the log of webhooks and users who never registered are kept.',
    { default: 30, min: 30 },
  ),
  eventRetentionDays: integer(
    'EVENT_RETENTION_DAYS',
    'Days that events are kept, then they go by the whole month; 0 is for ever. An application may keep its own for a shorter time.',
    { default: 0 },
  ),
  retentionIntervalMs: integer(
    'RETENTION_INTERVAL_MS',
    'About the time between two looks for what is past its retention.',
    { default: 600_000, min: 100 },
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
  reconcileIntervalMs: integer(
    'RECONCILE_INTERVAL_MS',
    'Time between two looks whether the counters of campaigns are what a recount of their deliveries says; each takes the next 500 campaigns at most.',
    { default: 30_000, min: 100 },
  ),
  reencryptSecretsIntervalMs: integer(
    'REENCRYPT_SECRETS_INTERVAL_MS',
    'While ENCRYPTION_KEY_PREVIOUS is set, time between two looks for secrets that it sealed, which are then sealed anew; the first comes after so long, when every service knows the key of today.',
    { default: 600_000, min: 100 },
  ),
} as const satisfies ConfigSpec;
export type SchedulerConfig = ConfigOf<typeof schedulerConfig>;
