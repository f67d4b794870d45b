import type { Timers } from '@tidings/platform';

export type StragglersOptions = {
  /** Work that takes longer is left behind. */
  readonly afterMs: number;
  /** Maximum left behind at a time, in all and of one owner. Other work is waited for until there is a place. */
  readonly max: number;
  readonly ownedMax: number;
  readonly timers: Timers;
  /** Nobody else hears of it. */
  readonly onError: (error: unknown) => void;
};

export type StragglerOptions = {
  /** Whose work it is: one owner never has all places. */
  readonly owner: string;
  readonly isReady: Promise<void>;
  readonly signal: AbortSignal;
};

/** Work that takes so long that what comes after it does not wait. */
export interface Stragglers {
  /**
   * Resolves when the work is done, or is one of those left behind, which it may be once `isReady` resolves. When the
   * signal aborts it ends by throwing, and if it was left behind that is no error.
   * @throws what the work throws while it is waited for
   */
  waitFor(work: Promise<void>, options: StragglerOptions): Promise<void>;
  /** Resolves when nothing that was left behind is under way. */
  drain(): Promise<void>;
}

export function createStragglers({
  afterMs,
  max,
  ownedMax,
  timers,
  onError,
}: StragglersOptions): Stragglers {
  /** Each with its owner. */
  const leftBehind = new Map<Promise<void>, string>();

  function leave(work: Promise<void>, { owner, signal }: StragglerOptions): void {
    const ended = work
      .catch((error: unknown) => {
        if (!signal.aborted) onError(error);
      })
      .finally(() => leftBehind.delete(ended));
    leftBehind.set(ended, owner);
  }

  function isFull(owner: string): boolean {
    if (leftBehind.size >= max) return true;
    let own = 0;
    for (const other of leftBehind.values()) if (other === owner) own += 1;
    return own >= ownedMax;
  }

  /** Resolves when so much time has passed and the work may be left; `callOff` lets it wait for ever. */
  function lateness(isReady: Promise<void>): { readonly isLate: Promise<void>; callOff(): void } {
    const { promise: isTime, resolve } = Promise.withResolvers<void>();
    return { isLate: isTime.then(() => isReady), callOff: timers.after(afterMs, resolve) };
  }

  return {
    async waitFor(work, options) {
      let isDone = false;
      const done = work.then(() => {
        isDone = true;
      });
      const { isLate, callOff } = lateness(options.isReady);
      await Promise.race([done, isLate]).finally(callOff);
      while (!isDone && isFull(options.owner)) await Promise.race([done, ...leftBehind.keys()]);
      if (!isDone) leave(done, options);
    },
    async drain() {
      await Promise.all(leftBehind.keys());
    },
  };
}
