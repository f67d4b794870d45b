import type { Clock } from './clock.ts';

/**
 * Measures event-loop delay: the time that ready work waits, including a request that arrived and
 * was not read yet.
 */
export interface LoopLag {
  /** Delay of the last turn. */
  lastMs(): number;
  /** The minimum delay of the last three turns; a single pause gives 0. */
  sustainedMs(): number;
  /**
   * Total delay since the start. The difference of two readings is the part of a wait that this
   * process caused.
   */
  totalMs(): number;
  stop(): void;
}

const TICK_MS = 20;
/** Turns in a row that distinguish load from a single pause. */
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
