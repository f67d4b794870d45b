import { purgeDrafts } from '@tidings/campaign-drafts/drafts';
import { LIMITS } from '@tidings/contracts/limits';
import type { Job } from '../job.ts';

/** Deletes drafts that were not changed for a long time. */
export const oldDrafts = (): Job => ({
  name: 'old-drafts',
  intervalMs: 3_600_000,
  bound: { itemsPerStep: 100, stepsMax: 100 },
  replicaMode: 'skip-locked',
  run: ({ db, inSteps }) =>
    inSteps(
      async (limit) => (await purgeDrafts(db, { days: LIMITS.draftDaysMax, limit })) >= limit,
    ),
});
