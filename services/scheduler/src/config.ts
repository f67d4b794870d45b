import { DELIVERY_RETENTION_DAYS } from '@tidings/delivery/retention-config';
import { encryptionConfig, integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { databaseConfig } from '@tidings/postgres/database';
import { foldConfig } from '@tidings/segments/fold-config';

export const schedulerConfig = {
  ...databaseConfig,
  ...encryptionConfig,
  ...foldConfig,
  auditRetentionDays: integer(
    'AUDIT_RETENTION_DAYS',
    'Days to keep audit log entries. At least 30; 0 keeps them for ever.',
    { default: 730 },
  ),
  chartRetentionDays: integer(
    'CHART_RETENTION_DAYS',
    'Days of history in charts of events and revenue, by event time. Older totals are kept, without their times. 0 keeps all.',
    { default: 730 },
  ),
  deviceRetentionDays: integer(
    'DEVICE_RETENTION_DAYS',
    'Days until a device that was not seen is deleted, unless it can be reached and has an identified user.',
    { default: 180, min: 30 },
  ),
  retentionDays: integer(
    'RETENTION_DAYS',
    'Days to keep receipts, duplicate keys, held events, rejected requests, dead letters, the webhook delivery log and users who never registered.',
    { default: 30, min: 30 },
  ),
  eventRetentionDays: integer(
    'EVENT_RETENTION_DAYS',
    'Days to keep events; whole months are deleted at once. 0 keeps them for ever, otherwise at least RETENTION_DAYS. An application can set a shorter time.',
    { default: 0 },
  ),
  retentionIntervalMs: integer(
    'RETENTION_INTERVAL_MS',
    'Approximate time between two runs of retention, in milliseconds.',
    { default: 600_000, min: 100 },
  ),
  deliveryRetentionDays: DELIVERY_RETENTION_DAYS,
  campaignRetentionDays: integer(
    'CAMPAIGN_RETENTION_DAYS',
    'Days to keep the report of a campaign, from its acceptance. At least DELIVERY_RETENTION_DAYS.',
    {
      default: 730,
      min: 31,
      max: 36_500,
    },
  ),
  idempotencyKeyDays: integer(
    'IDEMPOTENCY_KEY_DAYS',
    'Days to remember the Idempotency-Key of a push.',
    { default: 7, min: 1, max: 365 },
  ),
  reconcileIntervalMs: integer(
    'RECONCILE_INTERVAL_MS',
    'Time between two checks of campaign counters against a recount of their deliveries, in milliseconds. Each check covers the next 500 campaigns at most.',
    { default: 30_000, min: 100 },
  ),
  reencryptSecretsIntervalMs: integer(
    'REENCRYPT_SECRETS_INTERVAL_MS',
    'While ENCRYPTION_KEY_PREVIOUS is set, time between two runs that re-encrypt secrets with ENCRYPTION_KEY, in milliseconds. The first run waits as long, until every service has the new key.',
    { default: 600_000, min: 100 },
  ),
} as const satisfies ConfigSpec;
export type SchedulerConfig = ConfigOf<typeof schedulerConfig>;
