import type { Timers } from '@tidings/platform';

export type StragglersOptions = {
  /** Work that takes longer is left behind. */
  readonly afterMs: number;
  /** So many are left behind at a time; then work is waited for, however long it takes. */
  readonly max: number;
  readonly timers: Timers;
  /** Nobody else hears of it. */
  readonly onError: (error: unknown) => void;
};

/** Work that takes so long that what comes after it does not wait. */
export interface Stragglers {
  /** Resolves when the work is done, or is one of those left behind. @throws what the work throws while it is waited for */
  waitFor(work: Promise<void>): Promise<void>;
  /** Resolves when nothing that was left behind is under way. */
  drain(): Promise<void>;
}

export function createStragglers({ afterMs, max, timers, onError }: StragglersOptions): Stragglers {
  const leftBehind = new Set<Promise<void>>();

  function leave(work: Promise<void>): void {
    const ended = work.catch(onError).finally(() => leftBehind.delete(ended));
    leftBehind.add(ended);
  }

  return {
    async waitFor(work) {
      let callOff = (): void => undefined;
      const isLate = new Promise<true>((resolve) => {
        callOff = timers.after(afterMs, () => resolve(true));
      });
      const left = await Promise.race([work.then(() => false), isLate]).finally(() => callOff());
      if (!left) return;
      if (leftBehind.size >= max) await work;
      else leave(work);
    },
    async drain() {
      await Promise.all(leftBehind);
    },
  };
}
