import { setTimeout as delay } from 'node:timers/promises';

/** Lets somebody who waits go on at once, or not wait the next time. */
export interface WakeUp {
  notify(): void;
  /** Resolves when it is nudged, after `ms` at the latest, or when `signal` aborts; one nudge ends all waits under way, or else the next. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createWakeUp(): WakeUp {
  const waiting = new Set<AbortController>();
  let isNudged = false;
  return {
    notify() {
      isNudged = waiting.size === 0;
      for (const wait of waiting) wait.abort();
    },
    async wait(ms, signal) {
      if (isNudged) {
        isNudged = false;
        return;
      }
      const nudged = new AbortController();
      waiting.add(nudged);
      await delay(ms, undefined, { signal: AbortSignal.any([signal, nudged.signal]) }).catch(
        () => undefined,
      );
      waiting.delete(nudged);
    },
  };
}

/**
 * Calls `action` every `intervalMs`, or sooner when it is nudged, one call at a time, until `signal` aborts; resolves
 * after the last call. An error is given to `onError` and the loop goes on: it is for work that is looked at again anyway.
 */
export async function repeat(
  intervalMs: number,
  action: () => Promise<void>,
  options: {
    readonly signal: AbortSignal;
    readonly onError: (error: unknown) => void;
    readonly wakeUp?: WakeUp;
  },
): Promise<void> {
  const { wakeUp = createWakeUp() } = options;
  while (!options.signal.aborted) {
    try {
      await action();
    } catch (error) {
      if (!options.signal.aborted) options.onError(error);
    }
    await wakeUp.wait(intervalMs, options.signal);
  }
}
