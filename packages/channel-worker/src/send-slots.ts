import { systemClock, type Timers } from '@tidings/platform';

/**
 * The sends in flight of one process: a bound that all applications share. One whose provider is slow must not have
 * them all: a tenth stays free for those who have none, and who is known to be slow has no more than it leaves free.
 */
export interface SendSlots {
  /**
   * Takes as many free slots as are wanted and are the application's to take, at least one; waits for the first.
   * Resolves with 0 when there was none within `timeoutMs` or `signal` aborted.
   */
  take(applicationId: string, wanted: number, options: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<number>;
  /** Gives one back. */
  release(applicationId: string): void;
  /** How long a send of this application took. */
  learn(applicationId: string, sendMs: number): void;
}

/** Slots of sends that last this long come back too late for others to wait for them. */
const SLOW_MS = 1_000;
/** Each new duration counts for so much of the mean. */
const MEAN_SHARE = 0.2;
const FREE_SHARE = 0.1;
const MEANS_MAX = 1_000;

type Waiting = { readonly applicationId: string; readonly onFree: () => void };

export function createSendSlots(size: number, timers: Timers = systemClock): SendSlots {
  /** Below ten slots none is kept free: every one of them counts. */
  const reserve = Math.floor(size * FREE_SHARE);
  let free = size;
  const held = new Map<string, number>();
  const meanMs = new Map<string, number>();
  const waiting = new Set<Waiting>();

  const heldBy = (applicationId: string): number => held.get(applicationId) ?? 0;
  const allowedTo = (applicationId: string): number => {
    const own = heldBy(applicationId);
    const isSlow = (meanMs.get(applicationId) ?? 0) > SLOW_MS;
    const allowed = isSlow ? Math.min(free - reserve, Math.floor((free - own) / 2)) : free - reserve;
    // Whoever has none gets one, if there is one.
    return Math.max(allowed, own === 0 ? Math.min(1, free) : 0);
  };
  const takeNow = (applicationId: string, wanted: number): number => {
    const taken = Math.max(0, Math.min(wanted, allowedTo(applicationId)));
    free -= taken;
    if (taken > 0) held.set(applicationId, heldBy(applicationId) + taken);
    return taken;
  };
  /** Who has the fewest goes first, then who came first. */
  const serve = (): void => {
    const inTurn = [...waiting].sort((a, b) => heldBy(a.applicationId) - heldBy(b.applicationId));
    for (const { onFree } of inTurn) onFree();
  };

  return {
    async take(applicationId, wanted, { timeoutMs, signal }) {
      if (signal.aborted) return 0;
      // No newcomer overtakes its own.
      const isFirst = ![...waiting].some((other) => other.applicationId === applicationId);
      const atOnce = isFirst ? takeNow(applicationId, wanted) : 0;
      if (atOnce > 0) return atOnce;
      return new Promise((resolve) => {
        const finish = (taken: number): void => {
          callOff();
          signal.removeEventListener('abort', giveUp);
          waiting.delete(mine);
          resolve(taken);
        };
        const giveUp = (): void => finish(0);
        // Taken at the release itself, so that no newcomer overtakes.
        const onFree = (): void => {
          const taken = takeNow(applicationId, wanted);
          if (taken > 0) finish(taken);
        };
        const mine: Waiting = { applicationId, onFree };
        const callOff = timers.after(timeoutMs, giveUp);
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.add(mine);
      });
    },
    release(applicationId) {
      free += 1;
      const left = heldBy(applicationId) - 1;
      if (left > 0) held.set(applicationId, left);
      else held.delete(applicationId);
      serve();
    },
    learn(applicationId, sendMs) {
      const before = meanMs.get(applicationId) ?? sendMs;
      meanMs.delete(applicationId);
      meanMs.set(applicationId, before + (sendMs - before) * MEAN_SHARE);
      const [oldest] = meanMs.keys();
      if (oldest !== undefined && meanMs.size > MEANS_MAX) meanMs.delete(oldest);
    },
  };
}
