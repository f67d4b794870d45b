import type { Broadcast } from '../broadcast.ts';
import type { Redis } from './client.ts';
import { withinLoopTime } from './loop-timeout.ts';

/** Maximum time that a publisher waits for Redis. */
const TIMEOUT_MS = 500;

/** How the notices of a broadcast are written in Redis. */
export type NoticeFormat<T> = {
  readonly channel: string;
  readonly encode: (notice: T) => string;
  readonly decode: (text: string) => T;
};

/** Notices through Redis. Those of a lost connection are missed. */
export function createRedisBroadcast<T>(
  { channel, encode, decode }: NoticeFormat<T>,
  { publisher, subscriber }: { readonly publisher: Redis; readonly subscriber: () => Redis },
): Broadcast<T> {
  return {
    async publish(notice) {
      await withinLoopTime(publisher.publish(channel, encode(notice)), TIMEOUT_MS);
    },
    subscribe(onNotice) {
      const redis = subscriber();
      const start = (): void => {
        redis.subscribe(channel).then(
          () => onNotice(null),
          // The connection was lost again: the next 'ready' subscribes.
          () => undefined,
        );
      };
      const onMessage = (of: string, text: string): void => {
        if (of === channel) onNotice(decode(text));
      };
      redis.on('message', onMessage);
      redis.on('ready', start);
      if (redis.status === 'ready') start();
      return () => {
        redis.off('message', onMessage);
        redis.off('ready', start);
      };
    },
  };
}
