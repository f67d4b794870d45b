import type { Timers } from '@tidings/platform';

export type SlowChunksOptions = {
  /** Work that takes longer is left behind. */
  readonly afterMs: number;
  /** Maximum left behind at a time, in all and of one owner. Other work is waited for until there is a place. */
  readonly max: number;
  readonly ownedMax: number;
  readonly timers: Timers;
  /** Nobody else hears of it. */
  readonly onError: (error: unknown) => void;
};

export type SlowChunkOptions = {
  /** Whose work it is: one owner never has all places. */
  readonly owner: string;
  readonly isReady: Promise<void>;
  readonly signal: AbortSignal;
};

/** Work that takes so long that what comes after it does not wait. */
export interface SlowChunks {
  /**
   * Resolves when the work is done, or is one of those left behind, which it may be once `isReady` resolves. When the
   * signal aborts it ends by throwing, and if it was left behind that is no error.
   * @throws what the work throws while it is waited for
   */
  waitFor(work: Promise<void>, options: SlowChunkOptions): Promise<void>;
  /** Resolves when nothing that was left behind is under way. */
  drain(): Promise<void>;
}

export function createSlowChunks({
  afterMs,
  max,
  ownedMax,
  timers,
  onError,
}: SlowChunksOptions): SlowChunks {
  /** Each with its owner. */
  const detached = new Map<Promise<void>, string>();

  function detach(work: Promise<void>, { owner, signal }: SlowChunkOptions): void {
    const ended = work
      .catch((error: unknown) => {
        if (!signal.aborted) onError(error);
      })
      .finally(() => detached.delete(ended));
    detached.set(ended, owner);
  }

  function isFull(owner: string): boolean {
    if (detached.size >= max) return true;
    let own = 0;
    for (const other of detached.values()) if (other === owner) own += 1;
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
      while (!isDone && isFull(options.owner)) await Promise.race([done, ...detached.keys()]);
      if (!isDone) detach(done, options);
    },
    async drain() {
      await Promise.all(detached.keys());
    },
  };
}
