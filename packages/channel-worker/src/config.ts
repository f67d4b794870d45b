import { kafkaConfig } from '@tidings/bus';
import { encryptionConfig, integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { databaseConfig } from '@tidings/postgres/database';
import { redisConfig } from '@tidings/redis';

const claimLeaseMs = integer(
  'CLAIM_LEASE_MS',
  'A claimed delivery that is not sent by then may be claimed by another worker.',
  {
    default: 30_000,
    min: 1_000,
  },
);

/** What a worker is configured with whose messages are fetched: there is nobody to be sent to. */
export const inboxWorkerConfig = {
  ...kafkaConfig,
  ...databaseConfig,
  ...redisConfig,
  claimLeaseMs,
} as const satisfies ConfigSpec;
export type InboxWorkerConfig = ConfigOf<typeof inboxWorkerConfig>;

/** What every worker is configured with that sends. */
export const channelWorkerConfig = {
  ...kafkaConfig,
  ...databaseConfig,
  ...redisConfig,
  ...encryptionConfig,
  sendConcurrency: integer(
    'SEND_CONCURRENCY',
    'Sends in flight at most; a killed worker leaves no more than these unknown.',
    {
      default: 20,
      min: 1,
      max: 1_000,
    },
  ),
  sendRatePerSecond: integer(
    'SEND_RATE_PER_SECOND',
    'Sends a second for each application whose channel settings have no ratePerSecond; 0 is no limit.',
    {
      default: 0,
      min: 0,
    },
  ),
  sendRateShareReplicas: integer(
    'SEND_RATE_SHARE_REPLICAS',
    'Workers of the channel at most: while Redis is away, each sends one part in so many of the rates.',
    {
      default: 4,
      min: 1,
    },
  ),
  claimLeaseMs,
  sendLeaseMs: integer(
    'SEND_LEASE_MS',
    'A send without a recorded outcome by then is unknown. Longer than any provider timeout.',
    {
      default: 120_000,
      min: 1_000,
    },
  ),
} as const satisfies ConfigSpec;
export type ChannelWorkerConfig = ConfigOf<typeof channelWorkerConfig>;
