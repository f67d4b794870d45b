import type { ChartStep } from '@tidings/api-spec/chart-steps';
import {
  POINTS_MAX,
  readChartEndpoint,
  readDefinitionEndpoint,
  readRevenueEndpoint,
} from '@tidings/api-spec/endpoints/definitions';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { readDefinition } from '@tidings/events/definitions/definitions';
import { NO_USAGE, readDefinitionUsage } from '@tidings/events/definitions/usage';
import { AppError, type Clock } from '@tidings/platform';
import { listEvents } from '../../queries/ingest-log/events.ts';
import { readChart, readRevenue } from '../../queries/charts/charts.ts';
import { getApplicationId } from '../../auth/access.ts';
import { listLastStarts, listStarts, STEP_MS } from '../../charts/chart-steps.ts';
import { readTimeZone } from '../../charts/read-time-zone.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';

const NO_DEFINITION = 'This application has no definition with this slug.';
const SAMPLES = 3;

/** Event counts and revenue, read from pre-computed sums, never from events. */
export function usageRoutes({ db, clock }: ApiDependencies): Route[] {
  return [
    defineRoute(readDefinitionEndpoint, async ({ res, params }) => {
      const applicationId = getApplicationId(res);
      const definition = await readDefinition(db, applicationId, String(params['slug']));
      if (definition === null) throw new AppError('not_found', NO_DEFINITION);
      const usage =
        (await readDefinitionUsage(db.sql, applicationId)).get(definition.slug) ?? NO_USAGE;
      // Starts at the last event of the definition; newer events belong to others.
      const newest =
        usage.lastReceivedAt === null
          ? null
          : await listEvents(db, {
              applicationId,
              definition: definition.slug,
              limit: SAMPLES,
              to: usage.lastReceivedAt + 1,
            });
      return { ...definition, ...usage, samples: newest?.items ?? [] };
    }),
    defineRoute(readChartEndpoint, async ({ res, params, query }) => {
      const applicationId = getApplicationId(res);
      const slug = String(params['slug']);
      if ((await readDefinition(db, applicationId, slug)) === null)
        throw new AppError('not_found', NO_DEFINITION);
      const timeZone = await readTimeZone(db, applicationId);
      const { points, ...rest } = await readChart(db.sql, {
        applicationId,
        of: { slug },
        ...parseSpan(query, timeZone, clock),
      });
      return { timeZone, items: points, ...rest };
    }),
    defineRoute(readRevenueEndpoint, async ({ res, query }) => {
      const applicationId = getApplicationId(res);
      const timeZone = await readTimeZone(db, applicationId);
      const span = { applicationId, ...parseSpan(query, timeZone, clock) };
      const [currencies, { points, ...rest }] = await Promise.all([
        readRevenue(db.sql, span),
        readChart(db.sql, { ...span, of: 'revenue' }),
      ]);
      return {
        timeZone,
        currencies,
        items: points.map(({ at, revenue }) => ({ at, revenue })),
        ...rest,
      };
    }),
  ];
}

type Span = {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly step?: ChartStep | undefined;
  readonly points?: number | undefined;
};

function parseSpan({ from: first, points, ...query }: Span, timeZone: string, clock: Clock) {
  const { step = 'hour', to = clock.now() } = query;
  if (points !== undefined) {
    if (first !== undefined)
      throw invalid({ pointer: '/points', code: 'exactly_one_of', expected: 'points or from' });
    return { starts: listLastStarts({ points, to, step, timeZone }), to };
  }
  const from = first ?? Math.max(0, to - STEP_MS.week);
  if (from > to)
    throw invalid({
      pointer: '/from',
      code: 'out_of_range',
      expected: 'at most `to` (default: now)',
    });
  const tooMany = () =>
    invalid({ pointer: '/from', code: 'out_of_range', expected: `at most ${POINTS_MAX} points` });
  if ((to - from) / STEP_MS[step] > POINTS_MAX) throw tooMany();
  const starts = listStarts({ from, to, step, timeZone });
  // Most months are shorter than the longest. The first step may begin before `from`.
  if (starts.length > POINTS_MAX + 1) throw tooMany();
  return { starts, to };
}

const invalid = (fault: FieldError): AppError =>
  new AppError('validation_failed', 'The query is not valid.', { errors: [fault] });
