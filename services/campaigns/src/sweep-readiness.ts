import type { Clock } from '@tidings/platform';

/** Longer than a sweep takes after an outage, when much has come due. */
export const READY_FOR_MS = 60_000;

/**
 * The service is ready for a while after each successful sweep. Otherwise a process that cannot work with Postgres or
 * Kafka would be ready and send nothing.
 */
export interface SweepReadiness {
  /** Runs a sweep, which resolves with whether it succeeded, and notes that. */
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
