import { setTimeout as delay } from 'node:timers/promises';

/** Longer than providers themselves try, since here services are stopped and started all the time. */
const RETRY_DELAYS_MS = [500, 2_000, 5_000, 10_000];

/** Does the work, and again after a while when it fails. @throws what the last try throws */
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
