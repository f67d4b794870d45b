import type { Redis } from './client.ts';

const CHANNEL = 'tidings:key-changes';

/** Tells every gateway that the keys of an application changed. At most once: gateways also look again by themselves. */
export async function publishKeyChange(redis: Redis, applicationId: string): Promise<void> {
  await redis.publish(CHANNEL, applicationId);
}

/** Calls `onChange` with the application whose keys changed, and with null when changes may have been missed. */
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
