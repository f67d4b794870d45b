import { setTimeout as delay } from 'node:timers/promises';

/** Tries until `check` no longer throws and returns its answer; after the deadline the last error is thrown. */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = 10_000, intervalMs = 20 } = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await delay(intervalMs);
  }
}
