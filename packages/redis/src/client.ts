import { integer, text, type ConfigOf, type ConfigSpec, type Logger } from '@tidings/platform';
import { Redis } from 'ioredis';

export type { Redis };

export const redisConfig = {
  redisUrl: text('REDIS_URL', 'Redis or Valkey: redis://host:port. Holds only what may be lost.', {
    secret: true,
  }),
  redisProtocol: integer(
    'REDIS_PROTOCOL',
    'Protocol version; 2 for proxies that do not know HELLO.',
    { default: 3, min: 2, max: 3 },
  ),
} as const satisfies ConfigSpec;

/** A client that fails fast: nothing waits for a Redis that is away, and nothing depends on it. */
export function connectRedis(
  config: ConfigOf<typeof redisConfig>,
  {
    logger,
    name,
    commandTimeoutMs = 500,
  }: { readonly logger: Logger; readonly name: string; readonly commandTimeoutMs?: number },
): Redis {
  const redis = new Redis(config.redisUrl, {
    connectionName: name,
    protocol: config.redisProtocol === 2 ? 2 : 3,
    connectTimeout: 2_000,
    commandTimeout: commandTimeoutMs,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    retryStrategy: (attempt) => Math.min(attempt * 200, 2_000),
  });
  let isAway = false;
  redis.on('error', (error: Error) => {
    if (!isAway) logger.warn({ err: error }, 'redis is away');
    isAway = true;
  });
  redis.on('ready', () => {
    if (isAway) logger.info('redis is back');
    isAway = false;
  });
  return redis;
}
