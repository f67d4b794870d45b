import { appendArrivals } from '@tidings/automation-schedules/arrivals';
import type { Job } from '../job.ts';

/**
 * Gives the people of instants of schedules to the engine. Apart from the job that stores them, whose
 * segments may take long.
 */
export const arrivals = (): Job => ({
  name: 'arrivals',
  intervalMs: 2_000,
  // People: each step appends a change for each of them.
  bound: { itemsPerStep: 2_000, stepsMax: 500 },
  replicaMode: 'skip-locked',
  run: ({ db, inSteps }) => inSteps((limit) => appendArrivals(db, limit)),
});
