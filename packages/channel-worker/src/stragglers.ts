import type { Timers } from '@tidings/platform';

export type StragglersOptions = {
  /** Work that takes longer is left behind. */
  readonly afterMs: number;
  /** So many are left behind at a time; then work is waited for until it is done, or there is a place. */
  readonly max: number;
  readonly timers: Timers;
  /** Nobody else hears of it. */
  readonly onError: (error: unknown) => void;
};

/** Work that takes so long that what comes after it does not wait. */
export interface Stragglers {
  /**
   * Resolves when the work is done, or is one of those left behind, which it may be once `isReady` resolves. When the
   * signal aborts it ends by throwing, and if it was left behind that is no error.
   * @throws what the work throws while it is waited for
   */
  waitFor(work: Promise<void>, options: { readonly isReady: Promise<void>; readonly signal: AbortSignal }): Promise<void>;
  /** Resolves when nothing that was left behind is under way. */
  drain(): Promise<void>;
}

export function createStragglers({ afterMs, max, timers, onError }: StragglersOptions): Stragglers {
  const leftBehind = new Set<Promise<void>>();

  function leave(work: Promise<void>, signal: AbortSignal): void {
    const ended = work
      .catch((error: unknown) => {
        if (!signal.aborted) onError(error);
      })
      .finally(() => leftBehind.delete(ended));
    leftBehind.add(ended);
  }

  /** Resolves when so much time has passed and the work may be left; `callOff` lets it wait for ever. */
  function lateness(isReady: Promise<void>): { readonly isLate: Promise<void>; callOff(): void } {
    const { promise: isTime, resolve } = Promise.withResolvers<void>();
    return { isLate: isTime.then(() => isReady), callOff: timers.after(afterMs, resolve) };
  }

  return {
    async waitFor(work, { isReady, signal }) {
      let isDone = false;
      const done = work.then(() => {
        isDone = true;
      });
      const { isLate, callOff } = lateness(isReady);
      await Promise.race([done, isLate]).finally(callOff);
      while (!isDone && leftBehind.size >= max) await Promise.race([done, ...leftBehind]);
      if (!isDone) leave(done, signal);
    },
    async drain() {
      await Promise.all(leftBehind);
    },
  };
}
