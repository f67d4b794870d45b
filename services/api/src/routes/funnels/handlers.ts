import {
  explainFunnelEndpoint,
  explainNamedFunnelEndpoint,
  previewFunnelEndpoint,
} from '@tidings/api-spec/endpoints/funnel-persons';
import {
  askFunnelEndpoint,
  askNamedFunnelEndpoint,
  deleteFunnelEndpoint,
  listFunnelPeopleEndpoint,
  listFunnelsEndpoint,
  listFunnelVersionsEndpoint,
  listNamedFunnelPeopleEndpoint,
  readFunnelEndpoint,
  readFunnelUsesEndpoint,
  writeFunnelEndpoint,
} from '@tidings/api-spec/endpoints/funnels';
import {
  archiveFunnel,
  findFunnel,
  listFunnels,
  listFunnelVersions,
  readFunnelUses,
  writeFunnel,
} from '@tidings/analytics/funnels';
import { USING_CAMPAIGNS_MAX } from '@tidings/api-spec/uses';
import { LIMITS } from '@tidings/contracts/limits';
import { AppError } from '@tidings/platform';
import type { Response } from 'express';
import { getActor, getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { describeUses } from '../../http/describe-uses.ts';
import { CSV_PAGE_ROWS } from '../../http/analytics-questions.ts';
import { isVersionCursor, paginateBySlug, readPage, toPage } from '../../http/page.ts';
import { readExactJson } from '../../http/read-json.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { createFunnelQuestions } from './questions.ts';

const DAY_MS = 86_400_000;
const RANGE_DEFAULT_MS = 30 * DAY_MS;

/** Funnels: how far people come in some steps, and who they are. */
export function funnelRoutes(deps: ApiDependencies): Route[] {
  const { db, clock } = deps;
  const { ask, listPeople, explain, estimate } = createFunnelQuestions(deps);
  /** A question about a named one. */
  const named = async (
    res: Response,
    params: Readonly<Record<string, string>>,
    range: { readonly from?: number | undefined; readonly to?: number | undefined },
  ) => {
    const { steps, window } = found(await findFunnel(db.sql, funnelOf(res, params)));
    const { to = clock.now(), from = Math.max(0, to - RANGE_DEFAULT_MS) } = range;
    return { steps, window, from, to };
  };
  const routes = [
    defineRoute(askFunnelEndpoint, async ({ res, body }) => ask(res, body)),
    defineRoute(
      listFunnelPeopleEndpoint,
      async ({ res, query, body: { state, step, group, others, ...asked } }) =>
        listPeople(res, asked, { query, state, step, group, others }),
      { csvPageRows: CSV_PAGE_ROWS },
    ),
    defineRoute(previewFunnelEndpoint, async ({ res, body }) => estimate(res, body)),
    defineRoute(explainFunnelEndpoint, async ({ res, body: { customUserId, ...asked } }) =>
      explain(res, asked, customUserId),
    ),
    defineRoute(listFunnelsEndpoint, async ({ res, query }) =>
      paginateBySlug(query, await listFunnels(db.sql, getApplicationId(res))),
    ),
    defineRoute(readFunnelEndpoint, async ({ res, params }) =>
      found(await findFunnel(db.sql, funnelOf(res, params))),
    ),
    defineRoute(writeFunnelEndpoint, async ({ res, params, body }) => {
      const { name, steps, window, expectedVersion } = body;
      const written = await writeFunnel(db, {
        ...funnelOf(res, params),
        name,
        definition: { steps, window },
        ...(expectedVersion !== undefined && { expectedVersion }),
        by: getActor(res),
      });
      if (written === 'moved')
        throw new AppError('conflict', 'The funnel has another version. Read it again.');
      if (written === 'too_many')
        throw new AppError(
          'conflict',
          `An application has at most ${LIMITS.funnelsMax} funnels. Delete one first.`,
        );
      if ('errors' in written)
        throw new AppError('validation_failed', 'The funnel is not valid.', {
          errors: [...written.errors],
        });
      return { ...written.funnel, warnings: written.warnings };
    }),
    defineRoute(deleteFunnelEndpoint, async ({ res, params }) => {
      const outcome = found(
        await archiveFunnel(db, { ...funnelOf(res, params), by: getActor(res) }),
      );
      if (outcome !== 'archived') throw new AppError('conflict', describeUses(outcome, 'Segments'));
    }),
    defineRoute(readFunnelUsesEndpoint, async ({ res, params }) => {
      const { campaignIds, ...uses } = found(await readFunnelUses(db.sql, funnelOf(res, params)));
      return { ...uses, campaigns: campaignIds.slice(0, USING_CAMPAIGNS_MAX) };
    }),
    defineRoute(listFunnelVersionsEndpoint, async ({ res, params, query }) => {
      const { cursor, limit } = readPage(query, isVersionCursor);
      const list = (before: number | null) =>
        listFunnelVersions(db.sql, funnelOf(res, params), { before, limit: limit + 1 });
      const versions = await list(cursor === undefined ? null : Number(cursor));
      if (versions.length === 0 && (await list(null)).length === 0) found(null);
      return toPage(versions, limit, ({ version }) => String(version));
    }),
    defineRoute(askNamedFunnelEndpoint, async ({ res, params, query }) =>
      ask(res, await named(res, params, query)),
    ),
    defineRoute(
      listNamedFunnelPeopleEndpoint,
      async ({ res, params, query: { state, step, from, to, ...query } }) =>
        listPeople(res, await named(res, params, { from, to }), { query, state, step }),
      { csvPageRows: CSV_PAGE_ROWS },
    ),
    defineRoute(explainNamedFunnelEndpoint, async ({ res, params, query }) =>
      explain(res, await named(res, params, query), String(params['customUserId'])),
    ),
  ];
  return routes.map((route) => ({ ...route, readBody: readExactJson }));
}

const funnelOf = (res: Response, params: Readonly<Record<string, string>>) => ({
  applicationId: getApplicationId(res),
  slug: String(params['slug']),
});

/** @throws AppError `not_found` */
function found<T>(funnel: T | null): T {
  if (funnel === null)
    throw new AppError('not_found', 'This application has no funnel with this slug.');
  return funnel;
}
