import { FREQUENCY_WINDOW_HOURS_MAX } from '@tidings/contracts';
import { forgetCountedSends, type Database } from '@tidings/db';

const ROWS_PER_STEP = 1_000;
/** A pass ends in any case: what is left has time until the next one. */
const STEPS_MAX = 100;

/** Forgets sends that no frequency cap and no daily cap counts any more, in short steps; any number of processes may do so at once. */
export async function forgetOldSends(db: Database, signal: AbortSignal): Promise<void> {
  for (let steps = 0; steps < STEPS_MAX && !signal.aborted; steps += 1) {
    if ((await forgetCountedSends(db, { windowHours: FREQUENCY_WINDOW_HOURS_MAX, limit: ROWS_PER_STEP })) < ROWS_PER_STEP) return;
  }
}
