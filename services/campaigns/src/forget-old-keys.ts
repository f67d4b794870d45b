import { forgetIdempotencyKeys, type Database } from '@tidings/db';
import { Counter } from '@tidings/platform';

const forgottenTotal = new Counter({ name: 'tidings_idempotency_keys_forgotten_total', help: 'Keys of pushes that were older than they are kept.' });

const KEYS_PER_STEP = 1_000;
/** A pass ends in any case: what is left has time until the next one. */
const STEPS_MAX = 100;

/** Forgets the keys of pushes that are older than `days`, in short steps; any number of processes may do so at once. */
export async function forgetOldKeys(db: Database, days: number, signal: AbortSignal): Promise<void> {
  for (let steps = 0; steps < STEPS_MAX && !signal.aborted; steps += 1) {
    const forgotten = await forgetIdempotencyKeys(db, { days, limit: KEYS_PER_STEP });
    forgottenTotal.inc(forgotten);
    if (forgotten < KEYS_PER_STEP) return;
  }
}
