import { hasNightlyRows } from './nightly-files.mjs';

/**
 * The rows of a test that this run has: those of every run, and in `npm run nightly`, which sets
 * `TEST_ROWS=all`, also the others.
 */
export function rowsOfRun<const Always, const Nightly>({
  always,
  nightly,
}: {
  readonly always: readonly Always[];
  readonly nightly: readonly Nightly[];
}): readonly (Always | Nightly)[] {
  return hasNightlyRows() ? [...always, ...nightly] : always;
}
