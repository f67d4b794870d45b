/** Lets at most `max` actions run at a time; the others wait their turn in order of arrival. */
export interface Slots {
  /** @throws the signal's reason when it aborts before a slot is free; else what `action` throws */
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
    // The slot passes on as it is, so that no newcomer overtakes.
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
