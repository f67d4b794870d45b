import type { TrendPoints, TrendQuestion, TrendResult } from '../../api/analytics.ts';
import type { Names } from '../../conditions/describe-condition.ts';
import { isolate } from '../../lib/text.ts';
import { TONES, type Series } from '../../ui/chart-props.ts';
import { LazyChart } from '../../ui/lazy-chart.tsx';
import { writerOf } from './measures.ts';
import { groupName, seriesName, type TrendPlace } from './trend-question.ts';

const HEIGHT_PX = 320;

type Drawn = Series & { readonly place: TrendPlace };

/** The series over time; of a single one its groups. */
export function TrendChart({
  question,
  result,
  before,
  beforeName,
  names,
  onOpen,
}: {
  readonly question: TrendQuestion;
  readonly result: TrendResult;
  readonly before: TrendResult | undefined;
  readonly beforeName: string | undefined;
  readonly names: Names;
  readonly onOpen: (place: TrendPlace) => void;
}) {
  const times = result.series[0]?.points.map(({ at }) => at) ?? [];
  const drawn = drawnSeries({ question, result, before, names });
  return (
    <LazyChart
      label={`Trend of ${question.series.map((each) => seriesName(each, names)).join(' and ')}`}
      unit=""
      basis="event time"
      timeZone={question.timeZone}
      step={question.step}
      isOpen={result.partialFrom !== null && (times.at(-1) ?? 0) >= result.partialFrom}
      heightPx={HEIGHT_PX}
      times={times}
      beforeName={beforeName}
      series={drawn}
      onOpen={(index, series) => {
        const place = drawn[series]?.place;
        const at = times[index];
        if (place !== undefined && at !== undefined) onOpen({ ...place, at });
      }}
    />
  );
}

const valuesOf = (of: TrendPoints | undefined) => of?.points.map(({ value }) => value);

function drawnSeries({
  question,
  result,
  before,
  names,
}: {
  readonly question: TrendQuestion;
  readonly result: TrendResult;
  readonly before: TrendResult | undefined;
  readonly names: Names;
}): readonly Drawn[] {
  const [only, ...others] = result.series;
  const groups = only?.groups ?? [];
  if (others.length === 0 && groups.length > 0)
    return TONES.flatMap((tone, index): Drawn[] => {
      const group = groups[index];
      if (group === undefined) return [];
      const { value } = group;
      return [
        {
          name: isolate(groupName(value)),
          tone,
          values: valuesOf(group) ?? [],
          write: writerOf(question, 0),
          place: { series: 0, group: value },
        },
      ];
    });
  return TONES.flatMap((tone, index): Drawn[] => {
    const series = question.series[index];
    if (series === undefined) return [];
    return [
      {
        name: seriesName(series, names),
        tone,
        values: valuesOf(result.series[index]) ?? [],
        before: valuesOf(before?.series[index]),
        write: writerOf(question, index),
        place: { series: index },
      },
    ];
  });
}
