import { forgetIdempotencyKeys } from '@tidings/delivery/idempotency-keys';
import { Counter } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { forgetInSteps } from './forget-in-steps.ts';

const forgottenTotal = new Counter({
  name: 'tidings_idempotency_keys_forgotten_total',
  help: 'Keys of pushes that were older than they are kept.',
});

/** Forgets the keys of pushes that are older than `days`. */
export async function forgetOldKeys(
  db: Database,
  days: number,
  signal: AbortSignal,
): Promise<void> {
  await forgetInSteps(async (limit) => {
    const forgotten = await forgetIdempotencyKeys(db, { days, limit });
    forgottenTotal.inc(forgotten);
    return forgotten;
  }, signal);
}
