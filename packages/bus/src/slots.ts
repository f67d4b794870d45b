/** Runs at most `max` actions at a time; further ones wait in order of arrival. */
export interface Slots {
  /** @throws the signal's reason if it aborts before a slot is free, else the error of `action` */
  run<T>(signal: AbortSignal, action: () => Promise<T>): Promise<T>;
}

export function createSlots(max: number): Slots {
  const waiting = new Set<() => void>();
  let running = 0;

  function take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (running < max) {
      running += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const onFree = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        waiting.delete(onFree);
        reject(signal.reason);
      };
      waiting.add(onFree);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  function release(): void {
    const [next] = waiting;
    if (next === undefined) {
      running -= 1;
      return;
    }
    // Pass the slot on directly, so a new caller cannot overtake.
    waiting.delete(next);
    next();
  }

  return {
    async run(signal, action) {
      await take(signal);
      try {
        return await action();
      } finally {
        release();
      }
    },
  };
}
