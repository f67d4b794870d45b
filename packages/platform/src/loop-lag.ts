import type { Clock } from './clock.ts';

/**
 * How far the event loop is behind: what is ready to run waits that long, and so does a request that has arrived and that
 * nobody has seen yet.
 */
export interface LoopLag {
  /** How late the last turn was. */
  lastMs(): number;
  /** What the last turns were all late by, at least: one pause alone is 0. */
  sustainedMs(): number;
  /** All lateness since the start, so that the difference of two readings is what a wait owes to us and not to others. */
  totalMs(): number;
  stop(): void;
}

const TICK_MS = 20;
/** So many turns in a row make it a load and not a pause. */
const TURNS = 3;

export function watchLoopLag(clock: Clock): LoopLag {
  const lags = Array<number>(TURNS).fill(0);
  let total = 0;
  let tickedAt = clock.monotonicMs();
  const timer = setInterval(() => {
    const now = clock.monotonicMs();
    const lag = Math.max(0, now - tickedAt - TICK_MS);
    tickedAt = now;
    total += lag;
    lags.shift();
    lags.push(lag);
  }, TICK_MS);
  timer.unref();
  return {
    lastMs: () => lags.at(-1) ?? 0,
    sustainedMs: () => Math.min(...lags),
    totalMs: () => total,
    stop: () => clearInterval(timer),
  };
}
