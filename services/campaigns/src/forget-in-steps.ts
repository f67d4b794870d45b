const ROWS_PER_STEP = 1_000;
/** A pass ends in any case: what is left has time until the next one. */
const STEPS_MAX = 100;

/** Forgets rows in short steps until one finds fewer than it may take; any number of processes may do so at once. */
export async function forgetInSteps(
  forget: (limit: number) => Promise<number>,
  signal: AbortSignal,
): Promise<void> {
  for (let steps = 0; steps < STEPS_MAX && !signal.aborted; steps += 1) {
    if ((await forget(ROWS_PER_STEP)) < ROWS_PER_STEP) return;
  }
}
