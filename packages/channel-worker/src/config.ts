import { busConfig } from '@tidings/bus';
import { redisConfig } from '@tidings/coordination';
import { encryptionConfig, integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { databaseConfig } from '@tidings/postgres/database';

const claimLeaseMs = integer(
  'CLAIM_LEASE_MS',
  'Lease of a claimed delivery in ms; another worker may claim it afterwards.',
  {
    default: 30_000,
    min: 1_000,
  },
);

/** Configuration of workers for inbox channels, which have no provider. */
export const inboxWorkerConfig = {
  ...busConfig,
  ...databaseConfig,
  ...redisConfig,
  claimLeaseMs,
} as const satisfies ConfigSpec;
export type InboxWorkerConfig = ConfigOf<typeof inboxWorkerConfig>;

/** Concurrent sends of a worker. A channel whose default is not the usual one declares it with its reason. */
export function sendConcurrencyOf(usual: number, reason?: string) {
  const help =
    'Maximum concurrent sends. A killed worker leaves at most this many ambiguous attempts.';
  return integer('SEND_CONCURRENCY', reason === undefined ? help : `${help} ${reason}`, {
    default: usual,
    min: 1,
    max: 1_000,
  });
}

/** Configuration of all workers that send through a provider. */
export const channelWorkerConfig = {
  ...busConfig,
  ...databaseConfig,
  ...redisConfig,
  ...encryptionConfig,
  sendConcurrency: sendConcurrencyOf(20),
  sendRatePerSecond: integer(
    'SEND_RATE_PER_SECOND',
    'Maximum sends per second and application without ratePerSecond in its channel settings; 0 means no limit.',
    {
      default: 0,
      min: 0,
    },
  ),
  sendRateShareReplicas: integer(
    'SEND_RATE_SHARE_REPLICAS',
    'Maximum number of workers of the channel. While Redis is unavailable, each worker uses the rate limit divided by this number.',
    {
      default: 4,
      min: 1,
    },
  ),
  claimLeaseMs,
  sendLeaseMs: integer(
    'SEND_LEASE_MS',
    'Lease of a send in ms. A send without a recorded outcome by then becomes unknown, or is retried where a repeat is harmless. Must exceed every provider timeout.',
    {
      default: 120_000,
      min: 1_000,
    },
  ),
} as const satisfies ConfigSpec;
export type ChannelWorkerConfig = ConfigOf<typeof channelWorkerConfig>;
