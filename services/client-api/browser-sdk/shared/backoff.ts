const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/** Full jitter: anything up to a bound that doubles, so that a million pages do not come back together. `attempt`: from 0. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return Math.round(random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt));
}

/** Resolves after so long, at once when it is aborted, or when the network is back. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  const ended = new AbortController();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      ended.abort();
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener('online', done, { signal: ended.signal });
    signal?.addEventListener('abort', done, { signal: ended.signal });
    if (signal?.aborted === true) done();
  });
}
