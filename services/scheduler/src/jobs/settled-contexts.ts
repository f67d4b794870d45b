import { forgetSettledContexts } from '@tidings/delivery/delivery-contexts';
import type { Job } from '../job.ts';

/**
 * Deletes what automations knew of messages that are settled, where the application keeps no sent
 * messages.
 */
export const settledContexts = (): Job => ({
  name: 'settled-contexts',
  intervalMs: 10_000,
  bound: { itemsPerStep: 1_000, stepsMax: 100 },
  replicaMode: 'skip-locked',
  run: ({ db, inSteps }) =>
    inSteps(async (limit) => (await forgetSettledContexts(db, limit)) >= limit),
});
