import { deleteOldRuns, deleteOldTriggers } from '@tidings/automations/retention';
import { deleteOldMembers } from '@tidings/live-segments/forget-members';
import type { SchedulerConfig } from '../config.ts';
import type { Job } from '../job.ts';

/**
 * Deletes runs of automations that ended before the retention of deliveries, whose messages their
 * trace names, what was decided about events, and members of segments that are not live any more.
 */
export const oldRuns = ({
  deliveryRetentionDays: days,
}: Pick<SchedulerConfig, 'deliveryRetentionDays'>): Job => ({
  name: 'old-runs',
  // Short, so that each pass has little to do: hundreds of runs may end in a second.
  intervalMs: 10_000,
  bound: { itemsPerStep: 500, stepsMax: 100 },
  replicaMode: 'skip-locked',
  async run({ db, inSteps }) {
    await inSteps(async (limit) => (await deleteOldRuns(db.sql, { days, limit })) >= limit);
    await inSteps(async (limit) => (await deleteOldTriggers(db.sql, { days, limit })) >= limit);
    await inSteps(async (limit) => (await deleteOldMembers(db.sql, limit)) >= limit);
  },
});
