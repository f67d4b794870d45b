import { OPENED_BY, searchEndpoint } from '@tidings/api-spec/endpoints/search';
import { search } from '../../queries/search/search.ts';
import { getApplicationId, getSettings, mayOpen } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';

export function searchRoute({ inTime }: Pick<ApiDependencies, 'inTime'>): Route {
  return defineRoute(searchEndpoint, ({ res, query: { q: text } }) =>
    search(inTime, {
      applicationId: getApplicationId(res),
      defaultCountry: getSettings(res).defaultCountry,
      text,
      mayOpen: (kind) => mayOpen(OPENED_BY[kind], res),
    }),
  );
}
