import { deleteOldRehearsals } from '@tidings/automation-rehearsal/retention';
import type { Job } from '../job.ts';

/** Deletes rehearsals after their days. */
export const oldRehearsals = (): Job => ({
  name: 'old-rehearsals',
  intervalMs: 600_000,
  bound: { itemsPerStep: 100, stepsMax: 100 },
  replicaMode: 'skip-locked',
  run: ({ db, inSteps }) =>
    inSteps(async (limit) => (await deleteOldRehearsals(db.sql, limit)) >= limit),
});
