import { askTrendEndpoint, listTrendPeopleEndpoint } from '@tidings/api-spec/endpoints/trends';
import type { ApiDependencies } from '../../dependencies.ts';
import { CSV_PAGE_ROWS } from '../../http/analytics-questions.ts';
import { readExactJson } from '../../http/read-json.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { createTrendQuestions } from './questions.ts';

/** Trends: events, persons and revenue over time, and who they are. */
export function trendRoutes(deps: ApiDependencies): Route[] {
  const { ask, listPeople } = createTrendQuestions(deps);
  const routes = [
    defineRoute(askTrendEndpoint, async ({ res, body }) => ask(res, body)),
    defineRoute(
      listTrendPeopleEndpoint,
      async ({ res, query, body: { index, at, group, others, ...asked } }) =>
        listPeople(res, asked, { query, number: { index, at, group, others } }),
      { csvPageRows: CSV_PAGE_ROWS },
    ),
  ];
  return routes.map((route) => ({ ...route, readBody: readExactJson }));
}
