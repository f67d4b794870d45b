import { setTimeout as delay } from 'node:timers/promises';

/** Longer than real providers retry, since services here restart often. */
const RETRY_DELAYS_MS = [500, 2_000, 5_000, 10_000];

/** Runs `work` and retries after each delay. @throws the error of the last attempt */
export async function withRetries(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (const waitMs of RETRY_DELAYS_MS) {
    try {
      return await work();
    } catch {
      await delay(waitMs, undefined, { signal });
    }
  }
  await work();
}
