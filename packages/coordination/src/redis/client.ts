import {
  integer,
  optionalText,
  type ConfigOf,
  type ConfigSpec,
  type Logger,
} from '@tidings/platform';
import { Redis } from 'ioredis';

export type { Redis };

export const redisConfig = {
  redisUrl: optionalText(
    'REDIS_URL',
    'Redis or Valkey: redis://host:port. It stores only data that may be lost. Without it only one process may use the database; further ones wait, not ready.',
    { secret: true },
  ),
  redisProtocol: integer(
    'REDIS_PROTOCOL',
    'Protocol version (RESP); 2 for proxies without HELLO.',
    { default: 3, min: 2, max: 3 },
  ),
} as const satisfies ConfigSpec;

/**
 * A client that fails fast: no caller waits for an unavailable Redis, and no feature requires it.
 */
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
    if (!isAway) logger.warn({ err: error }, 'redis is unavailable');
    isAway = true;
  });
  redis.on('ready', () => {
    if (isAway) logger.info('redis is back');
    isAway = false;
  });
  return redis;
}
