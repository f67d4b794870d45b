import { sparkline } from '../report/sparkline.ts';
import { alignTable } from '../report/table.ts';
import type { Sample } from './sampler.ts';
import { computeTrend, type Series } from './series.ts';

const PLOT_COLUMNS = 48;

/** A line per series: sparkline, first and last value, and whether it is level. */
export function renderSeries(all: readonly Series[]): string {
  const rows = all.map((series) => {
    const { risePercentPerHour, isLevel } = computeTrend(series);
    const values = series.points.map(({ value }) => value);
    return [
      series.name,
      sparkline(values, PLOT_COLUMNS),
      numeral(values[0]),
      numeral(values.at(-1)),
      numeral(values.length === 0 ? undefined : Math.max(...values)),
      series.unit,
      `${risePercentPerHour.toFixed(1)} %/h`,
      isLevel ? 'level' : 'RISES',
    ];
  });
  return alignTable(
    ['', 'from zero to the maximum', 'first', 'last', 'most', '', 'slope', ''],
    rows,
  );
}

/** The overall result. */
export function decideVerdict(all: readonly Series[], samples: readonly Sample[]): string {
  const rising = all.filter((series) => !computeTrend(series).isLevel).map(({ name }) => name);
  const died = restartedServices(samples);
  const trend =
    rising.length === 0
      ? `All ${all.length} series are level over their last two thirds.`
      : `${rising.length} of ${all.length} series rise over their last two thirds: ${rising.join(', ')}.`;
  return died.length === 0
    ? trend
    : `${trend} Restarted, so their memory series are not meaningful: ${died.join(', ')}.`;
}

function restartedServices(samples: readonly Sample[]): string[] {
  const names = Object.keys(samples[0]?.processIds ?? {});
  return names.filter(
    (name) => new Set(samples.map(({ processIds }) => processIds[name])).size > 1,
  );
}

function numeral(value: number | undefined): string {
  if (value === undefined) return '–';
  return value.toFixed(value < 100 ? 1 : 0);
}
