import {
  askRetentionEndpoint,
  listRetentionPeopleEndpoint,
} from '@tidings/api-spec/endpoints/retention';
import type { ApiDependencies } from '../../dependencies.ts';
import { CSV_PAGE_ROWS } from '../../http/analytics-questions.ts';
import { readExactJson } from '../../http/read-json.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { createRetentionQuestions } from './questions.ts';

/** Retention: who comes back after a first event. */
export function retentionRoutes(deps: ApiDependencies): Route[] {
  const { ask, listPeople } = createRetentionQuestions(deps);
  const routes = [
    defineRoute(askRetentionEndpoint, async ({ res, body }) => ask(res, body)),
    defineRoute(
      listRetentionPeopleEndpoint,
      async ({ res, query, body: { cohort, cell, ...asked } }) =>
        listPeople(res, asked, { query, cohort, cell }),
      { csvPageRows: CSV_PAGE_ROWS },
    ),
  ];
  return routes.map((route) => ({ ...route, readBody: readExactJson }));
}
