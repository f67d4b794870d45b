import { buildDates, deleteOldDates } from '@tidings/automations/date-builds';
import type { Job } from '../job.ts';

/** Looks at the dates of all people once, where they enter an automation that was activated. */
export const dateBuilds = (): Job => ({
  name: 'date-builds',
  intervalMs: 2_000,
  // People: each step appends a change for those with such a date.
  bound: { itemsPerStep: 1_000, stepsMax: 200 },
  replicaMode: 'skip-locked',
  async run({ db, logger, inSteps }) {
    await inSteps((limit) =>
      buildDates(db, limit, (err, automationId) => {
        logger.error({ err, automationId }, 'a look at dates failed, it is put off');
      }),
    );
    await inSteps((limit) => deleteOldDates(db.sql, limit));
  },
});
