import type { Timers } from '@tidings/platform';

export type DetachedChunksOptions = {
  /** Work that takes longer is detached. */
  readonly afterMs: number;
  /** Maximum detached at a time, in total and per owner. At the limit, work is awaited. */
  readonly max: number;
  readonly ownedMax: number;
  readonly timers: Timers;
  /** Receives errors of detached work, which reach no other caller. */
  readonly onError: (error: unknown) => void;
};

export type DetachOptions = {
  /** Owner of the work; no owner takes the whole limit. */
  readonly owner: string;
  readonly isReady: Promise<void>;
  readonly signal: AbortSignal;
};

/** Detaches slow work, so that later work does not wait for it. */
export interface DetachedChunks {
  /**
   * Resolves when the work is done or detached; it may be detached once `isReady` resolves. Work
   * that is aborted rejects; if it was detached, that is no error.
   * @throws what the work throws before it is detached
   */
  waitFor(work: Promise<void>, options: DetachOptions): Promise<void>;
  /** Resolves when no detached work is in progress. */
  drain(): Promise<void>;
}

export function createDetachedChunks({
  afterMs,
  max,
  ownedMax,
  timers,
  onError,
}: DetachedChunksOptions): DetachedChunks {
  /** Detached work with its owner. */
  const detached = new Map<Promise<void>, string>();

  function detach(work: Promise<void>, { owner, signal }: DetachOptions): void {
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

  /** Resolves when the work may be detached; `callOff` cancels it. */
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
