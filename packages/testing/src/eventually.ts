import { setTimeout as delay } from 'node:timers/promises';

/** A try that is under way at the deadline may take this much longer. */
const LAST_TRY_MS = 5_000;
/** Characters of the source of a check in an error. */
const SHOWN_CHARS = 300;

/** Thrown by a check that no later try can pass, for example since its process has ended. */
export class Hopeless extends Error {}

class Unsettled extends Error {}

/**
 * Tries until `check` no longer throws and returns its answer.
 * @throws after the deadline, also if a try never ends: the last error, and what it waited for
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = 10_000, intervalMs = 20 } = {},
): Promise<T> {
  const startedAt = performance.now();
  const deadline = startedAt + timeoutMs;
  for (let tries = 1, last: unknown; ; tries += 1) {
    try {
      return await settleBy(deadline + LAST_TRY_MS, check);
    } catch (error) {
      if (error instanceof Hopeless) throw error;
      // What the try before saw tells more than that this one hangs.
      if (!(error instanceof Unsettled && tries > 1)) last = error;
      if (performance.now() > deadline)
        throw new Error(describe(check, { error: last, tries, startedAt }), { cause: last });
    }
    await delay(intervalMs);
  }
}

async function settleBy<T>(time: number, check: () => T | Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Unsettled('the check has not ended')),
    time - performance.now(),
  );
  try {
    return await Promise.race([check(), late]);
  } finally {
    clearTimeout(timer);
  }
}

type Failed = { readonly error: unknown; readonly tries: number; readonly startedAt: number };

/** Source is what it waited for: Node strips the types and leaves the rest as it is written. */
function describe(check: () => unknown, { error, tries, startedAt }: Failed): string {
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const text = error instanceof Error ? error.message : String(error);
  const source = check.toString().replaceAll(/\s+/g, ' ');
  const shown = source.length > SHOWN_CHARS ? `${source.slice(0, SHOWN_CHARS)} …` : source;
  return `${text}\n\nWaited ${seconds} s, ${tries} tries, for: ${shown}`;
}
