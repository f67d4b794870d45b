import { onAbort } from './on-abort.ts';

/** Wall-clock and monotonic time, injected so that a test can hold it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that never jump, for measuring and for deadlines. */
  monotonicMs(): number;
}

/** What is done later, by the same time. */
export interface Timers {
  /** Does `work` once, so many milliseconds from now; what it returns calls it off. */
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

/** Resolves so many milliseconds from now, or as soon as `signal` aborts. */
export function sleep(timers: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let stopListening = (): void => undefined;
    const callOff = timers.after(ms, () => {
      stopListening();
      resolve();
    });
    if (signal === undefined) return;
    stopListening = onAbort(signal, () => {
      callOff();
      resolve();
    });
  });
}
