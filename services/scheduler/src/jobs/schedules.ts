import { appendArrivals, takeInstant, type Instant } from '@tidings/automations/schedules';
import type { Logger } from '@tidings/platform';
import type { Job } from '../job.ts';

/** Instants of a pass. Those of other automations have their turn in the next one. */
const INSTANTS_MAX = 20;

/** Enters the members of segments into automations, at the instants of their schedules. */
export const schedules = (): Job => ({
  name: 'schedules',
  intervalMs: 2_000,
  // People: each step appends a change for each of them.
  bound: { itemsPerStep: 2_000, stepsMax: 500 },
  replicaMode: 'skip-locked',
  async run({ db, logger, signal, inSteps }) {
    for (let taken = 0; taken < INSTANTS_MAX && !signal.aborted; taken += 1) {
      const instant = await takeInstant(db);
      if (instant === null) break;
      note(logger, instant);
    }
    await inSteps((limit) => appendArrivals(db, limit));
  },
});

function note(logger: Logger, { automationId, at, ...instant }: Instant): void {
  const about = { automationId, instant: new Date(at).toISOString() };
  if (instant.outcome === 'missed')
    logger.warn(
      { ...about, reason: instant.reason },
      'instants of a schedule are left out, they enter no one',
    );
  if (instant.outcome === 'slow')
    logger.warn(about, 'the segment of a schedule took too long, it is read again');
}
