import { systemClock, type Timers } from '@tidings/platform';

/** The sends in flight of one process: a bound that every chunk shares. */
export interface SendSlots {
  /**
   * Takes as many free slots as are wanted, at least one; waits for the first, in order of arrival.
   * Resolves with 0 when none became free within `timeoutMs` or `signal` aborted.
   */
  take(wanted: number, options: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<number>;
  release(): void;
}

export function createSendSlots(size: number, timers: Timers = systemClock): SendSlots {
  let free = size;
  const waiting = new Set<() => void>();

  const takeNow = (wanted: number): number => {
    const taken = Math.min(wanted, free);
    free -= taken;
    return taken;
  };

  return {
    async take(wanted, { timeoutMs, signal }) {
      if (signal.aborted) return 0;
      if (free > 0) return takeNow(wanted);
      return new Promise((resolve) => {
        const finish = (taken: number): void => {
          callOff();
          signal.removeEventListener('abort', giveUp);
          waiting.delete(onFree);
          resolve(taken);
        };
        const giveUp = (): void => finish(0);
        // Taken at the release itself, so that no newcomer overtakes.
        const onFree = (): void => finish(takeNow(wanted));
        const callOff = timers.after(timeoutMs, giveUp);
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.add(onFree);
      });
    },
    release() {
      free += 1;
      const [next] = waiting;
      next?.();
    },
  };
}
