import { purgeExpired } from '@tidings/accounts/members/purge-expired';
import type { Job } from '../job.ts';

/** Deletes expired sessions and links, and sign-in failures that no longer count. */
export const expiredSessions = (): Job => ({
  name: 'expired-sessions',
  intervalMs: 600_000,
  bound: { itemsPerStep: 1_000, stepsMax: 100 },
  replicaMode: 'skip-locked',
  run: ({ db, clock, inSteps }) =>
    inSteps(async (limit) => (await purgeExpired(db, { nowMs: clock.now(), limit })) >= limit),
});
