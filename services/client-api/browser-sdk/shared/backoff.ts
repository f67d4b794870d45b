const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/**
 * Exponential backoff with full jitter, so that many pages do not reconnect together. `attempt`
 * starts at 0.
 */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return Math.round(random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt));
}

/** Resolves after `ms`, on abort, or when the network is back. */
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
