import type { Clock, Timers } from '../clock.ts';

export type FakeClock = Clock & Timers & { readonly advance: (ms: number) => void };

type Timer = { readonly dueAt: number; readonly work: () => void };

/** A clock that only moves by `advance`, which runs the timers due until then, in order. */
export function createFakeClock(startAt = 1_700_000_000_000): FakeClock {
  let elapsed = 0;
  const timers = new Set<Timer>();
  const nextUntil = (end: number): Timer | undefined =>
    [...timers]
      .filter(({ dueAt }) => dueAt <= end)
      .toSorted((one, other) => one.dueAt - other.dueAt)[0];
  return {
    now: () => startAt + elapsed,
    monotonicMs: () => elapsed,
    after(ms, work) {
      const timer = { dueAt: elapsed + ms, work };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const end = elapsed + ms;
      for (let timer = nextUntil(end); timer !== undefined; timer = nextUntil(end)) {
        timers.delete(timer);
        elapsed = timer.dueAt;
        timer.work();
      }
      elapsed = end;
    },
  };
}
