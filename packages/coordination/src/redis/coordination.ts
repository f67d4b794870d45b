import type { ConfigOf, ServiceContext } from '@tidings/platform';
import type { Coordination, Notices } from '../coordination.ts';
import { createRedisBroadcast, type NoticeFormat } from './broadcast.ts';
import { connectRedis, type Redis, type redisConfig } from './client.ts';
import { createRedisRateLimiters, createSharedState } from './rate-limiters.ts';
import { createSharedBuckets } from './shared-buckets.ts';

const FORMATS: { readonly [Name in keyof Notices]: NoticeFormat<Notices[Name]> } = {
  keyChanges: {
    channel: 'tidings:key-changes',
    encode: (applicationId) => applicationId,
    decode: (text) => text,
  },
  inboxWakeUps: {
    channel: 'tidings:inbox',
    encode: (userIds) => userIds.join(),
    decode: (text) => text.split(','),
  },
};

/** Only a safety net: leases and publishers have shorter timeouts, which know pauses of the loop. */
const COMMAND_TIMEOUT_MS = 2_000;

/** Connects the services of this process with those of others through Redis. */
export function createRedisCoordination(
  config: ConfigOf<typeof redisConfig>,
  { logger, clock, ids }: Pick<ServiceContext, 'logger' | 'clock' | 'ids'>,
  name: string,
): Coordination {
  const redis = connectRedis(config, { logger, name, commandTimeoutMs: COMMAND_TIMEOUT_MS });
  // A connection that subscribes cannot send commands with protocol 2.
  let subscriber: Redis | undefined;
  const connections = {
    publisher: redis,
    subscriber: () => (subscriber ??= connectRedis(config, { logger, name: `${name}-notices` })),
  };
  const state = createSharedState(logger);
  return {
    rateLimiters: ({ replicas }) =>
      createRedisRateLimiters({
        shared: createSharedBuckets(redis, ids.uuid()),
        clock,
        state,
        replicas,
      }),
    keyChanges: createRedisBroadcast(FORMATS.keyChanges, connections),
    inboxWakeUps: createRedisBroadcast(FORMATS.inboxWakeUps, connections),
    async close() {
      redis.disconnect();
      subscriber?.disconnect();
    },
  };
}
