import type { Redis } from './client.ts';

const CHANNEL = 'tidings:key-changes';

/**
 * Notifies all processes that check keys of a change to an application's keys. Delivered at most
 * once: they also refresh by themselves.
 */
export async function publishKeyChange(redis: Redis, applicationId: string): Promise<void> {
  await redis.publish(CHANNEL, applicationId);
}

/**
 * Calls `onChange` with the application whose keys changed, or with null if changes may have been
 * missed.
 */
export function subscribeKeyChanges(
  redis: Redis,
  onChange: (applicationId: string | null) => void,
): void {
  const subscribe = (): void => {
    redis.subscribe(CHANNEL).then(
      () => onChange(null),
      // The connection was lost again: the next 'ready' subscribes.
      () => undefined,
    );
  };
  redis.on('message', (channel: string, applicationId: string) => {
    if (channel === CHANNEL) onChange(applicationId);
  });
  redis.on('ready', subscribe);
  if (redis.status === 'ready') subscribe();
}
