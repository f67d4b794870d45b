import type { Redis } from './client.ts';

const CHANNEL = 'tidings:inbox';

/**
 * Notifies the processes that hold connections of these users of new inbox messages. Delivered at
 * most once: those processes also poll.
 */
export async function publishInboxWakeUp(redis: Redis, userIds: readonly string[]): Promise<void> {
  await redis.publish(CHANNEL, userIds.join());
}

/** Calls `onWakeUp` with the notified users, or with null if notifications may have been missed. */
export function subscribeInboxWakeUps(
  redis: Redis,
  onWakeUp: (userIds: readonly string[] | null) => void,
): void {
  const subscribe = (): void => {
    redis.subscribe(CHANNEL).then(
      () => onWakeUp(null),
      // The connection was lost again: the next 'ready' subscribes.
      () => undefined,
    );
  };
  redis.on('message', (channel: string, userIds: string) => {
    if (channel === CHANNEL) onWakeUp(userIds.split(','));
  });
  redis.on('ready', subscribe);
  if (redis.status === 'ready') subscribe();
}
