import { requestValue, type Answer, type Clock, type LoopLag } from '@tidings/platform';

const entered = requestValue<{ readonly beforeBodyMs: number; readonly lagMs: number }>('entered');
type Watch = { readonly clock: Clock; readonly lag: LoopLag };

/**
 * How much of its deadline a request has used up. What the caller takes to send his body is his own time, so it is not
 * counted, but for what the process was late meanwhile; nor would a slow caller be helped by a 503.
 */
export function startDeadlineBudget({ clock, lag }: Watch): (res: Answer) => void {
  // It may have waited as long as the turn that has just ended before anybody saw it.
  const startedAt = clock.monotonicMs() - lag.lastMs();
  return (res) => {
    entered.set(res, { beforeBodyMs: clock.monotonicMs() - startedAt, lagMs: lag.totalMs() });
  };
}

/** Asked when the body has been read. */
export function budgetSpentMs(res: Answer, { lag }: Pick<Watch, 'lag'>): number {
  const { beforeBodyMs, lagMs } = entered.of(res);
  return beforeBodyMs + lag.totalMs() - lagMs;
}
