import { readEnvironment } from '@tidings/platform';
import { quarterByDate } from './seeds-of-run.ts';

const SEED = 20_260_101;

/** Parameters of `fc.assert`. */
type PropertyRuns = {
  readonly numRuns: number;
  readonly seed?: number;
  /** How many cases of the seed are left out before the first one. */
  readonly path?: string;
  readonly interruptAfterTimeLimit?: number;
};

/**
 * How many cases a property is tried with.
 * - By default half of the usual ones, which `TEST_SEEDS` chooses as in `seedsOfRun`: two quarters
 *   that follow each other. `TEST_SEEDS=all` tries all. The seed is fixed, so that a run can be
 *   repeated.
 * - `PROPERTY_RUNS` is another number, with a new seed in each run. `npm run properties` sets it to
 *   a million. `PROPERTY_SECONDS` ends each property that takes longer, as passed.
 */
export function propertyRuns(
  usual: number,
  environment: Readonly<Record<string, string>> = readEnvironment(),
): PropertyRuns {
  const wanted = Number(environment['PROPERTY_RUNS'] ?? 0);
  const seconds = Number(environment['PROPERTY_SECONDS'] ?? 0);
  if (wanted > 0)
    return {
      numRuns: wanted,
      ...(seconds > 0 && { interruptAfterTimeLimit: seconds * 1_000 }),
    };
  const quarter = quarterByDate(environment['TEST_SEEDS']);
  if (quarter === null) return { numRuns: usual, seed: SEED };
  const size = Math.ceil(usual / 4);
  return { numRuns: size * 2, seed: SEED, path: String(size * (quarter - 1)) };
}
