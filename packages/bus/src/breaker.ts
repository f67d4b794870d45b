/** A circuit breaker: rejects callers after consecutive failures, except a probe per interval. */
export interface Breaker {
  /** `probe`: the breaker is open, and this caller may try. */
  admit(): 'admitted' | 'probe' | 'rejected';
  succeeded(): void;
  failed(): void;
  isOpen(): boolean;
}

export function createBreaker(
  options: { readonly failuresMax: number; readonly probeIntervalMs: number },
  now: () => number = () => performance.now(),
): Breaker {
  let failures = 0;
  let probeAt = 0;
  const isOpen = (): boolean => failures >= options.failuresMax;
  return {
    admit() {
      if (!isOpen()) return 'admitted';
      if (now() < probeAt) return 'rejected';
      probeAt = now() + options.probeIntervalMs;
      return 'probe';
    },
    succeeded() {
      failures = 0;
    },
    failed() {
      const wasOpen = isOpen();
      failures += 1;
      if (!wasOpen) probeAt = now() + options.probeIntervalMs;
    },
    isOpen,
  };
}
