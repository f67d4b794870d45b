import { FREQUENCY_WINDOW_HOURS_MAX } from '@tidings/contracts/policies';
import { purgeCountedSends } from '@tidings/delivery/mark-sending-within-caps';
import { purgeOpenOutcomes, purgeProviderIds } from '@tidings/delivery/outcome-polling';
import type { SchedulerConfig } from '../config.ts';
import type { Job } from '../job.ts';

/**
 * Deletes sends that no frequency or daily cap counts any more, and data for outcome polling that
 * has ended.
 */
export const oldSends = ({
  deliveryRetentionDays: days,
}: Pick<SchedulerConfig, 'deliveryRetentionDays'>): Job => ({
  name: 'old-sends',
  // Short, so that each pass has little to do: thousands of sends per second may be added.
  intervalMs: 10_000,
  bound: { itemsPerStep: 1_000, stepsMax: 100 },
  replicaMode: 'skip-locked',
  async run({ db, inSteps }) {
    const windowHours = FREQUENCY_WINDOW_HOURS_MAX;
    await inSteps(async (limit) => (await purgeCountedSends(db, { windowHours, limit })) >= limit);
    await inSteps(async (limit) => (await purgeOpenOutcomes(db, limit)) >= limit);
    await inSteps(async (limit) => (await purgeProviderIds(db, { days, limit })) >= limit);
  },
});
