import { kafkaConfig } from '@tidings/bus';
import { integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { databaseConfig } from '@tidings/postgres/database';

export const eventsConsumerConfig = {
  ...kafkaConfig,
  ...databaseConfig,
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
} as const satisfies ConfigSpec;
export type EventsConsumerConfig = ConfigOf<typeof eventsConsumerConfig>;
