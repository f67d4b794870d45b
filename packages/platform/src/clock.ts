import { onAbort } from './on-abort.ts';

/** Wall-clock and monotonic time, injected so tests can control it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that never jump, for durations and deadlines. */
  monotonicMs(): number;
}

/** Timers on the same clock. */
export interface Timers {
  /** Calls `work` once after `ms` milliseconds. The returned function cancels it. */
  after(ms: number, work: () => void): () => void;
}

export const systemClock: Clock & Timers = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms` milliseconds, or when `signal` aborts. */
export function sleep(timers: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let stopListening = (): void => undefined;
    const cancel = timers.after(ms, () => {
      stopListening();
      resolve();
    });
    if (signal === undefined) return;
    stopListening = onAbort(signal, () => {
      cancel();
      resolve();
    });
  });
}
