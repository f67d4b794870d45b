import type { Clock } from '@tidings/platform';

export type FakeClock = Clock & { readonly advance: (ms: number) => void };

/** A clock that stands still until it is told to move. */
export function createFakeClock(startAt = 1_700_000_000_000): FakeClock {
  let elapsed = 0;
  return {
    now: () => startAt + elapsed,
    monotonicMs: () => elapsed,
    advance(ms) {
      elapsed += ms;
    },
  };
}
