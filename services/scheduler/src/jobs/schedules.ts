import {
  deleteOldSchedules,
  followZone,
  takeInstant,
  type Instant,
} from '@tidings/automation-schedules/schedules';
import type { Logger } from '@tidings/platform';
import type { SchedulerConfig } from '../config.ts';
import type { Job } from '../job.ts';

/** Instants of a pass. Those of other automations have their turn in the next one. */
const INSTANTS_MAX = 20;

/** Stores who is in the segments of automations, at the instants of their schedules. */
export const schedules = ({
  analyticsMemoryMiB: memoryMiB,
}: Pick<SchedulerConfig, 'analyticsMemoryMiB'>): Job => ({
  name: 'schedules',
  intervalMs: 2_000,
  bound: { itemsPerStep: 1, stepsMax: INSTANTS_MAX },
  replicaMode: 'skip-locked',
  async run({ db, logger, inSteps }) {
    await inSteps(() => followZone(db));
    await inSteps(async () => {
      const instant = await takeInstant(db, { memoryMiB });
      if (instant !== null) note(logger, instant);
      return instant !== null;
    });
    await inSteps((limit) => deleteOldSchedules(db.sql, limit));
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
  if (instant.outcome === 'failed')
    logger.error(
      { ...about, err: instant.error },
      'an instant of a schedule failed, it is put off',
    );
}
