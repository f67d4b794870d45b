import { requestValue, type Answer } from '@tidings/http/request-value';
import type { Clock, LoopLag } from '@tidings/platform';

const bodyStart = requestValue<{ readonly beforeBodyMs: number; readonly lagMs: number }>(
  'bodyStart',
);
type Clocks = { readonly clock: Clock; readonly lag: LoopLag };

/**
 * Measures how much of its deadline a request has used. The time that the caller takes to send the
 * body does not count, except for the event-loop delay meanwhile: a 503 would not help a slow
 * caller.
 */
export function startDeadlineBudget({ clock, lag }: Clocks): (res: Answer) => void {
  // The request may have waited for the whole previous event-loop turn before it was read.
  const startedAt = clock.monotonicMs() - lag.lastMs();
  return (res) => {
    bodyStart.set(res, { beforeBodyMs: clock.monotonicMs() - startedAt, lagMs: lag.totalMs() });
  };
}

/** Milliseconds used. Call it after the body was read. */
export function budgetSpentMs(res: Answer, { lag }: Pick<Clocks, 'lag'>): number {
  const { beforeBodyMs, lagMs } = bodyStart.of(res);
  return beforeBodyMs + lag.totalMs() - lagMs;
}
