import { forgetIdempotencyKeys } from '@tidings/delivery/idempotency-keys';
import { Counter } from '@tidings/platform';
import type { SchedulerConfig } from '../config.ts';
import type { Job } from '../job.ts';

const deletedTotal = new Counter({
  name: 'tidings_idempotency_keys_deleted_total',
  help: 'Keys of pushes that were older than they are kept.',
});

/** Deletes the keys of pushes that are older than they are kept. */
export const idempotencyKeys = ({
  idempotencyKeyDays: days,
}: Pick<SchedulerConfig, 'idempotencyKeyDays'>): Job => ({
  name: 'idempotency-keys',
  // Short, so that a pass has little to do: keys may come by the thousand in a second.
  intervalMs: 10_000,
  bound: { itemsPerStep: 1_000, stepsMax: 100 },
  replicaMode: 'shares',
  run: ({ db, inSteps }) =>
    inSteps(async (limit) => {
      const forgotten = await forgetIdempotencyKeys(db, { days, limit });
      deletedTotal.inc(forgotten);
      return forgotten >= limit;
    }),
});
