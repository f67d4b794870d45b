import { setTimeout as delay } from 'node:timers/promises';

export type WaitOptions = {
  readonly what: string;
  readonly withinMs: number;
  readonly everyMs?: number;
};

/** Looks until there is something to see, and resolves with it. @throws when the time is over */
export async function until<T>(
  { what, withinMs, everyMs = 1_000 }: WaitOptions,
  look: () => Promise<T | undefined>,
): Promise<T> {
  for (const deadline = performance.now() + withinMs; ; await delay(everyMs)) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs / 1_000} s`);
  }
}
