import type { Clock } from '@tidings/platform';

/** Longer than a sweep after an outage, when many rows are due. */
export const READY_FOR_MS = 60_000;

/**
 * Ready for a while after each successful sweep. Without this, a process without Postgres or Kafka
 * would look ready.
 */
export interface SweepReadiness {
  /** Runs a sweep, which resolves with its success, and records the result. */
  note(sweep: () => Promise<boolean>): Promise<void>;
  isReady(): boolean;
}

export function createSweepReadiness(clock: Pick<Clock, 'monotonicMs'>): SweepReadiness {
  let succeededAt = -Infinity;
  return {
    async note(sweep) {
      if (await sweep()) succeededAt = clock.monotonicMs();
    },
    isReady: () => clock.monotonicMs() - succeededAt <= READY_FOR_MS,
  };
}
