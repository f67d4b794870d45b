import { applicationIdOf } from '../../auth/access.ts';
import { readOverview, type OverviewSources } from '../../overview/read-overview.ts';
import type { Route } from '../endpoint.ts';
import { readOverviewEndpoint } from './endpoints.ts';

/** The first page of whoever looks after an application. */
export function overviewRoutes(sources: OverviewSources): Route[] {
  return [readOverviewEndpoint.handledBy(({ res }) => readOverview(sources, applicationIdOf(res)))];
}
