import type uPlot from 'uplot';
import type { Series } from './chart-props.ts';

/** How long each bucket is, by the distance of the last two starts. */
export const stepOf = (times: readonly number[]): number =>
  (times.at(-1) ?? 0) - (times.at(-2) ?? 0);

/** The last bucket still runs: what happens in the rest of it is not counted yet. */
export const isLastOpen = (times: readonly number[], now: number): boolean =>
  times.length > 1 && (times.at(-1) ?? 0) + stepOf(times) > now;

/**
 * The lines of a chart: of each series one up to the last bucket that is over, then of each one from there to the open
 * bucket, dashed and empty without an open bucket; then of each the period before, empty where there is none.
 */
export function toLines(
  times: readonly number[],
  series: readonly Series[],
  isOpen: boolean,
): uPlot.AlignedData {
  const last = times.length - 1;
  const hasBefore = series.some(({ before }) => before !== undefined);
  return [
    times.map((time) => time / 1_000),
    ...series.map(({ values }) =>
      values.map((value, index) => (isOpen && index === last ? null : value)),
    ),
    ...series.map(({ values }) =>
      values.map((value, index) => (isOpen && index >= last - 1 ? value : null)),
    ),
    ...(hasBefore
      ? series.map(({ before }) => times.map((_, index) => before?.[index] ?? null))
      : []),
  ];
}
