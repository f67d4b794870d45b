import { OPENED_BY, searchEndpoint } from '@tidings/api-spec/endpoints/search';
import { getApplicationId, getSettings, mayOpen } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';

export function searchRoute({ search }: Pick<ApiDependencies, 'search'>): Route {
  return defineRoute(searchEndpoint, ({ res, query: { q: text } }) =>
    search({
      applicationId: getApplicationId(res),
      defaultCountry: getSettings(res).defaultCountry,
      text,
      mayOpen: (kind) => mayOpen(OPENED_BY[kind], res),
    }),
  );
}
