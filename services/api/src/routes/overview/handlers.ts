import { readOverviewEndpoint } from '@tidings/api-spec/endpoints/overview';
import { applicationIdOf } from '../../auth/access.ts';
import { readOverview, type OverviewSources } from '../../overview/read-overview.ts';
import { handledBy, type Route } from '../../http/route.ts';

/** The first page of whoever looks after an application. */
export function overviewRoutes(sources: OverviewSources): Route[] {
  return [
    handledBy(readOverviewEndpoint, ({ res }) => readOverview(sources, applicationIdOf(res))),
  ];
}
