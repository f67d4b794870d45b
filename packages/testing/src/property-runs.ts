import { readEnvironment } from '@tidings/platform';

/**
 * How many cases a property without stores is tried with: few enough for every test run, or `PROPERTY_RUNS`, which
 * `npm run properties` sets to a million. The seed is fixed in the former, so that a run can be repeated.
 */
export function propertyRuns(usual: number): { readonly numRuns: number; readonly seed?: number } {
  const wanted = Number(readEnvironment()['PROPERTY_RUNS'] ?? 0);
  return wanted > 0 ? { numRuns: wanted } : { numRuns: usual, seed: 20_260_101 };
}
