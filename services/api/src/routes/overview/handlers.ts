import { readOverviewEndpoint } from '@tidings/api-spec/endpoints/overview';
import { getApplicationId } from '../../auth/access.ts';
import { readOverview, type OverviewSources } from '../../overview/read-overview.ts';
import { defineRoute, type Route } from '../../http/route.ts';

/** The start page of the dashboard. */
export function overviewRoutes(sources: OverviewSources): Route[] {
  return [
    defineRoute(readOverviewEndpoint, ({ res }) => readOverview(sources, getApplicationId(res))),
  ];
}
