import { withoutTrace } from '@tidings/platform';
import type { Broadcast } from '../broadcast.ts';

/** Notices between the services of one process. None is missed. */
export function createInProcessBroadcast<T>(): Broadcast<T> {
  const subscriptions = new Set<{ readonly onNotice: (notice: T) => void }>();
  return {
    publish(notice) {
      // Not within the publisher's turn, as from another process: a subscriber may call the
      // publisher, and its error is not the publisher's.
      withoutTrace(() =>
        setImmediate(() => {
          for (const { onNotice } of subscriptions) onNotice(notice);
        }),
      );
      return Promise.resolve();
    },
    subscribe(onNotice) {
      const subscription = { onNotice };
      subscriptions.add(subscription);
      return () => void subscriptions.delete(subscription);
    },
  };
}
