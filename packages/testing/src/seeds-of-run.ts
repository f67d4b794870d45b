import { readEnvironment } from '@tidings/platform';

const QUARTERS = 4;
const DAY_MS = 86_400_000;

/**
 * The seeds that this run tries of all seeds of a long test: every fourth one, and by the date
 * another quarter, so that three days try all. `TEST_SEEDS` is that date (`2026-11-28`), or `all`.
 * `npm test` sets today's date in UTC.
 * @throws if `TEST_SEEDS` is anything else
 */
export function seedsOfRun<T>(all: readonly T[], wanted?: string): readonly T[] {
  const quarter = quarterByDate(wanted);
  return quarter === null ? all : all.filter((_, index) => [0, quarter].includes(index % QUARTERS));
}

/** How many generated cases this run tries of a seed of a long test: fewer unless it tries all. */
export function casesOfRun(
  { usual, all }: { readonly usual: number; readonly all: number },
  wanted?: string,
): number {
  return quarterByDate(wanted) === null ? all : usual;
}

/**
 * The quarter that this run tries besides the first one: 1, 2 or 3; null if it tries all.
 * @throws if `TEST_SEEDS` is neither a date nor `all`
 */
export function quarterByDate(
  wanted: string = readEnvironment()['TEST_SEEDS'] ?? new Date().toISOString().slice(0, 10),
): 1 | 2 | 3 | null {
  if (wanted === 'all') return null;
  const day = /^\d{4}-\d\d-\d\d$/.test(wanted) ? Date.parse(wanted) / DAY_MS : Number.NaN;
  if (Number.isNaN(day)) throw new Error('TEST_SEEDS must be "all" or a date like 2026-11-28.');
  return ([1, 2, 3] as const)[day % 3] ?? null;
}
