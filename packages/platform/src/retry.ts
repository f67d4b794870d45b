import { setTimeout as delay } from 'node:timers/promises';

export type RetrySchedule = {
  readonly attemptsMax: number;
  readonly baseMs: number;
  readonly capMs: number;
};

/**
 * Full jitter: a random time between 0 and `min(capMs, baseMs · 2^attempt)`; `attempt` starts at 0.
 */
export function backoffMs(
  schedule: Omit<RetrySchedule, 'attemptsMax'>,
  attempt: number,
  random: () => number = Math.random,
): number {
  return Math.floor(
    random() * Math.min(schedule.capMs, schedule.baseMs * 2 ** Math.min(attempt, 30)),
  );
}

/** A random 1 to 5 s for `Retry-After`, so callers rejected together do not return together. */
export function retryAfterSeconds(random: () => number = Math.random): number {
  return 1 + Math.floor(random() * 5);
}

/**
 * Calls `action` until it succeeds, the schedule ends, the error is not retryable, or `signal`
 * aborts.
 * @throws the last error of `action`, or the signal's reason
 */
export async function retry<T>(
  schedule: RetrySchedule,
  action: (attempt: number) => Promise<T>,
  options: {
    readonly signal?: AbortSignal;
    readonly isRetryable?: (error: unknown) => boolean;
  } = {},
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    options.signal?.throwIfAborted();
    try {
      return await action(attempt);
    } catch (error) {
      if (attempt + 1 >= schedule.attemptsMax || options.isRetryable?.(error) === false)
        throw error;
      // An abort while waiting is thrown at the top, as the signal's own reason.
      await delay(backoffMs(schedule, attempt), undefined, { signal: options.signal }).catch(
        () => undefined,
      );
    }
  }
}
