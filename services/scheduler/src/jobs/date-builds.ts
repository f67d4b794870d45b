import { buildDates, deleteOldDates } from '@tidings/automations/date-builds';
import { isBehind } from '@tidings/user-changes/backlog';
import type { Job } from '../job.ts';

/**
 * Looks at the dates of all people once, where they enter an automation that was activated. It waits
 * while the engine is behind: changes of others come first.
 */
export const dateBuilds = (): Job => ({
  name: 'date-builds',
  intervalMs: 2_000,
  // People: each step appends a change for those with such a date.
  bound: { itemsPerStep: 1_000, stepsMax: 200 },
  replicaMode: 'skip-locked',
  async run({ db, logger, inSteps }) {
    await inSteps(
      async (limit) =>
        !(await isBehind(db.sql)) &&
        (await buildDates(db, limit, (err, automationId) => {
          logger.error({ err, automationId }, 'a look at dates failed, it is put off');
        })),
    );
    await inSteps((limit) => deleteOldDates(db.sql, limit));
  },
});
