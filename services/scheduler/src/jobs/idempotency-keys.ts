import { purgeIdempotencyKeys } from '@tidings/delivery/idempotency-keys';
import { Counter } from '@tidings/platform';
import type { SchedulerConfig } from '../config.ts';
import type { Job } from '../job.ts';

const deletedTotal = new Counter({
  name: 'tidings_idempotency_keys_deleted_total',
  help: 'Idempotency keys of pushes deleted after their retention.',
});

/** Deletes idempotency keys of pushes that are past their retention. */
export const idempotencyKeys = ({
  idempotencyKeyDays: days,
}: Pick<SchedulerConfig, 'idempotencyKeyDays'>): Job => ({
  name: 'idempotency-keys',
  // Short, so that each pass has little to do: pushes may add thousands of keys per second.
  intervalMs: 10_000,
  bound: { itemsPerStep: 1_000, stepsMax: 100 },
  replicaMode: 'skip-locked',
  run: ({ db, inSteps }) =>
    inSteps(async (limit) => {
      const deleted = await purgeIdempotencyKeys(db, { days, limit });
      deletedTotal.inc(deleted);
      return deleted >= limit;
    }),
});
