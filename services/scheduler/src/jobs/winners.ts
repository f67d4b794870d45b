import { decideDue } from '@tidings/decisions/decide';
import type { Job } from '../job.ts';

/** Sends the better of several templates to those who wait for it, when its time has come. */
export const winners = (): Job => ({
  name: 'winners',
  intervalMs: 5_000,
  // Campaigns.
  bound: { itemsPerStep: 20, stepsMax: 10 },
  replicaMode: 'repeat',
  run: ({ db, inSteps }) => inSteps(async (limit) => (await decideDue(db, limit)) >= limit),
});
