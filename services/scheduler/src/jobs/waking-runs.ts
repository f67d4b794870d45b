import { wakeSomeRuns } from '@tidings/automations/wake-runs';
import type { Job } from '../job.ts';

/** Lets runs of automations go on after a pause, a stop or a move, where a request left some. */
export const wakingRuns = (): Job => ({
  name: 'waking-runs',
  intervalMs: 2_000,
  bound: { itemsPerStep: 10_000, stepsMax: 20 },
  replicaMode: 'repeat',
  run: ({ db, inSteps }) => inSteps((limit) => wakeSomeRuns(db.sql, null, limit)),
});
