import type uPlot from 'uplot';
import type { Series } from './chart-props.ts';

/** How long each bucket is, by the distance of the last two starts. */
export const stepOf = (times: readonly number[]): number =>
  (times.at(-1) ?? 0) - (times.at(-2) ?? 0);

/** The last bucket still runs: what happens in the rest of it is not counted yet. */
export const isLastOpen = (times: readonly number[], now: number): boolean =>
  times.length > 1 && (times.at(-1) ?? 0) + stepOf(times) > now;

/**
 * Two lines of each series: up to the last bucket that is over, and from there to the open one. The
 * second is dashed, and empty without an open bucket.
 */
export function toLines(
  times: readonly number[],
  series: readonly Series[],
  isOpen: boolean,
): uPlot.AlignedData {
  const last = times.length - 1;
  return [
    times.map((time) => time / 1_000),
    ...series.map(({ values }) =>
      values.map((value, index) => (isOpen && index === last ? null : value)),
    ),
    ...series.map(({ values }) =>
      values.map((value, index) => (isOpen && index >= last - 1 ? value : null)),
    ),
  ];
}
