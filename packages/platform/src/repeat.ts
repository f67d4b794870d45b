import { setTimeout as delay } from 'node:timers/promises';

/** Ends waits early, or makes the next wait return at once. */
export interface WakeUp {
  notify(): void;
  /**
   * Resolves after `notify()`, after `ms`, or when `signal` aborts. One `notify()` ends all current
   * waits; without one it ends the next wait.
   */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createWakeUp(): WakeUp {
  const waiting = new Set<AbortController>();
  let isNotified = false;
  return {
    notify() {
      isNotified = waiting.size === 0;
      for (const wait of waiting) wait.abort();
    },
    async wait(ms, signal) {
      if (isNotified) {
        isNotified = false;
        return;
      }
      const notified = new AbortController();
      waiting.add(notified);
      await delay(ms, undefined, { signal: AbortSignal.any([signal, notified.signal]) }).catch(
        () => undefined,
      );
      waiting.delete(notified);
    },
  };
}

/**
 * Calls `action` every `intervalMs`, or earlier after `wakeUp.notify()`, one call at a time, until
 * `signal` aborts. Resolves after the last call. Errors go to `onError` and the loop continues, so
 * it suits work that is repeated anyway.
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
