import { countTrend, type TrendCounts, type TrendOf } from '@tidings/analytics/count-trend';
import { readTrend, type AskedTrend, type TrendQuestion } from '@tidings/analytics/read-trend';
import { readTrendPart, type AskedTrendPart } from '@tidings/analytics/read-trend-part';
import { listTrendPeople } from '@tidings/analytics/trend-people';
import type { ChartStep } from '@tidings/api-spec/chart-steps';
import type { PageQuery } from '@tidings/api-spec/schemas';
import type { TrendSeries } from '@tidings/contracts/analytics/trends';
import { LIMITS } from '@tidings/contracts/limits';
import type { Sql } from '@tidings/postgres/database';
import { resolveEvent, type ConditionContext } from '@tidings/segments/condition-context';
import type { Response } from 'express';
import { listStartsWithNext, STEP_MS } from '../../charts/chart-steps.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { invalid } from '../../http/analytics-questions.ts';
import { createPeriodQuestions } from '../../http/period-questions.ts';
import { readChart } from '../../queries/charts/charts.ts';

const QUARTER_MS = 900_000;

type Asked = AskedTrend & { readonly step: ChartStep };

/** A question with its points. */
type Trend = TrendQuestion & {
  readonly context: ConditionContext;
  readonly starts: readonly number[];
  /** Where the period of the last point ends. */
  readonly lastEnd: number;
  /** The end of the range, on a quarter hour, as in charts. */
  readonly to: number;
  readonly memoryMiB: number;
};

/** Questions about trends. They store nothing. */
export function createTrendQuestions(deps: ApiDependencies) {
  const periods = createPeriodQuestions(
    deps,
    'fewer persons or points: a shorter range, a longer step, or an event that fewer do',
  );
  const read = async (res: Response, asked: Asked) => {
    const { question, context, timeZone, warnings } = await periods.read(res, asked, readTrend);
    const { from, to, step } = asked;
    const isShort = (to - from) / STEP_MS[step] <= LIMITS.trendPointsMax;
    const all = isShort ? listStartsWithNext({ from, to, step, timeZone }, 1) : [];
    const starts = all.slice(0, -1);
    if (!isShort || starts.length > LIMITS.trendPointsMax)
      throw invalid([
        {
          pointer: '/step',
          code: 'too_many',
          expected: `at most ${LIMITS.trendPointsMax} points: a longer step, or a shorter range`,
        },
      ]);
    const trend: Trend = {
      ...question,
      context,
      starts,
      lastEnd: all.at(-1) ?? to,
      to: Math.ceil(to / QUARTER_MS) * QUARTER_MS,
      memoryMiB: deps.questions.memoryMiB,
    };
    return { trend, timeZone, warnings };
  };
  return {
    async ask(res: Response, asked: Asked) {
      const startedAt = deps.clock.now();
      const { trend, timeZone, warnings } = await read(res, asked);
      return periods.answer(res, startedAt, async (sql, now) => {
        const series = [];
        for (const each of trend.series)
          series.push(await askSeries(sql, trend, of(trend, each, now)));
        return { timeZone, series, partialFrom: partialFrom(trend, now), warnings };
      });
    },
    /** A page of the people of one number. */
    async listPeople(
      res: Response,
      asked: Asked,
      { query, number }: { readonly query: PageQuery; readonly number: AskedTrendPart },
    ) {
      const { trend } = await read(res, asked);
      const found = readTrendPart(number, trend, trend.starts);
      if ('errors' in found) throw invalid(found.errors);
      return periods.listPeople(res, query, (sql, now, page) =>
        listTrendPeople(sql, { ...of(trend, found.series, now), part: found.part }, page),
      );
    },
  };
}

/** One series. What lies ahead of the moment does not count yet. */
const of = (trend: Trend, series: TrendSeries, now: number): TrendOf => ({
  ...trend,
  series,
  end: Math.min(trend.to, now + 1),
  now,
});

/** The first point that has not all its period. */
function partialFrom({ starts, lastEnd, to }: Trend, now: number): number | null {
  return starts.find((_, index) => (starts[index + 1] ?? lastEnd) > Math.min(to, now)) ?? null;
}

async function askSeries(sql: Sql, trend: Trend, one: TrendOf) {
  const { starts } = trend;
  const { measure, where = [] } = one.series;
  if (
    measure !== 'users' &&
    where.length === 0 &&
    trend.condition === null &&
    trend.breakdown === null
  )
    return readCounted(sql, one);
  const { points, total, groups, othersGroups, others } = await countTrend(sql, one);
  const shown = (counts: TrendCounts) => ({
    points: starts.map((at, index) => ({ at, value: counts.points.get(index) ?? 0 })),
    total: counts.total,
  });
  return {
    ...shown({ points, total }),
    ...(groups !== undefined && {
      groups: groups.map(({ value, ...counts }) => ({ value, ...shown(counts) })),
    }),
    ...(othersGroups !== undefined && { othersGroups }),
    ...(others !== undefined && { others: others === null ? null : shown(others) }),
  };
}

/** Of all events, from the sums of charts: their number is that of the chart of the definition. */
async function readCounted(sql: Sql, { context, series, starts, end }: TrendOf) {
  const read = (from: readonly number[]) =>
    readChart(sql, {
      applicationId: context.applicationId,
      of: { slug: resolveEvent(context, series.event)?.definition.slug ?? '' },
      starts: from,
      to: end,
    });
  const { measure } = series;
  const valueOf = ({ points }: Awaited<ReturnType<typeof read>>): number[] =>
    points.map(({ events, revenue }) =>
      typeof measure === 'object' ? (revenue[measure.sum] ?? 0) : events,
    );
  const { points, ...rest } = await read(starts);
  const values = valueOf({ points, ...rest });
  // Sums of money are exact in Postgres alone.
  const [total = 0] = valueOf(await read(starts.slice(0, 1)));
  return {
    points: starts.map((at, index) => ({ at, value: values[index] ?? 0 })),
    total,
    ...rest,
  };
}
