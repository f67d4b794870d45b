import type { Redis } from './client.ts';

const CHANNEL = 'tidings:inbox';

/** Tells whoever holds connections of these users that something waits for them. At most once: they also look by themselves. */
export async function publishInboxWakeUp(redis: Redis, userIds: readonly string[]): Promise<void> {
  await redis.publish(CHANNEL, userIds.join());
}

/** Calls `onNudge` with the users for whom something waits, and with null when that may have been missed. */
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
