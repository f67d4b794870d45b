const ROWS_PER_STEP = 100_000;

/** Calls `write` for one range of numbers after the other; `to` is inclusive. */
export async function inSteps(
  count: number,
  write: (from: number, to: number) => Promise<unknown>,
  step = ROWS_PER_STEP,
): Promise<void> {
  for (let from = 0; from < count; from += step)
    await write(from, Math.min(count, from + step) - 1);
}
