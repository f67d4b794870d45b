import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 1_000;

/** Polls until the result is right or the timeout; returns the last result. */
export async function settled<T>(
  read: () => Promise<T>,
  isRight: (found: T) => boolean,
  withinMs: number,
): Promise<T> {
  for (const deadline = performance.now() + withinMs; ; await delay(POLL_MS)) {
    const found = await read();
    if (isRight(found) || performance.now() > deadline) return found;
  }
}
