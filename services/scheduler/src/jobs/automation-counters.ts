import { foldCounts } from '@tidings/automations/counters';
import type { Job } from '../job.ts';

/** Folds the numbers of reports, which engines keep by shard and day. */
export const automationCounters = (): Job => ({
  name: 'automation-counters',
  intervalMs: 60_000,
  bound: { itemsPerStep: 5_000, stepsMax: 20 },
  replicaMode: 'skip-locked',
  run: ({ db, inSteps }) => inSteps((limit) => foldCounts(db.sql, limit)),
});
