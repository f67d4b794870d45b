import { appendArrivals } from '@tidings/automation-schedules/arrivals';
import { isBehind } from '@tidings/user-changes/backlog';
import type { Job } from '../job.ts';

/**
 * Gives the people of instants of schedules to the engine. Apart from the job that stores them, whose
 * segments may take long. It waits while the engine is behind: changes of others come first.
 */
export const arrivals = (): Job => ({
  name: 'arrivals',
  intervalMs: 2_000,
  // People: each step appends a change for each of them.
  bound: { itemsPerStep: 2_000, stepsMax: 500 },
  replicaMode: 'skip-locked',
  run: ({ db, inSteps }) =>
    inSteps(async (limit) => !(await isBehind(db.sql)) && (await appendArrivals(db, limit))),
});
