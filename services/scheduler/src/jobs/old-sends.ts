import { FREQUENCY_WINDOW_HOURS_MAX } from '@tidings/contracts';
import { forgetCountedSends } from '@tidings/delivery/arm-within-caps';
import { forgetOpenOutcomes, forgetProviderIds } from '@tidings/delivery/look-ups';
import type { SchedulerConfig } from '../config.ts';
import type { Job } from '../job.ts';

/** Deletes sends that no frequency cap and no daily cap counts any more, and what no provider is asked about. */
export const oldSends = ({
  deliveryRetentionDays: days,
}: Pick<SchedulerConfig, 'deliveryRetentionDays'>): Job => ({
  name: 'old-sends',
  // Short, so that a pass has little to do: sends may come by the thousand in a second.
  intervalMs: 10_000,
  bound: { itemsPerStep: 1_000, stepsMax: 100 },
  replicaMode: 'shares',
  async run({ db, inSteps }) {
    const windowHours = FREQUENCY_WINDOW_HOURS_MAX;
    await inSteps(async (limit) => (await forgetCountedSends(db, { windowHours, limit })) >= limit);
    await inSteps(async (limit) => (await forgetOpenOutcomes(db, limit)) >= limit);
    await inSteps(async (limit) => (await forgetProviderIds(db, { days, limit })) >= limit);
  },
});
