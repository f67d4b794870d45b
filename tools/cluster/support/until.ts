import { setTimeout as delay } from 'node:timers/promises';

export type WaitOptions = {
  readonly what: string;
  readonly withinMs: number;
  readonly everyMs?: number;
};

/** Polls until the result is defined, and resolves with it. @throws after the timeout */
export async function until<T>(
  { what, withinMs, everyMs = 1_000 }: WaitOptions,
  look: () => Promise<T | undefined>,
): Promise<T> {
  for (const deadline = performance.now() + withinMs; ; await delay(everyMs)) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (performance.now() > deadline)
      throw new Error(`${what}: timed out after ${withinMs / 1_000} s`);
  }
}
