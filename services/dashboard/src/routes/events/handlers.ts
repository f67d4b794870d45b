import { parseArrivalCursor } from '@tidings/events/log/arrival';
import { listEvents } from '../../queries/log/events.ts';
import { applicationIdOf } from '../../auth/access.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import type { Route } from '../endpoint.ts';
import { readPage } from '../page.ts';
import { listEventsEndpoint } from './endpoints.ts';

/** The events of all users, and of none. */
export function eventRoutes({ db }: DashboardDependencies): Route[] {
  return [
    listEventsEndpoint.handledBy(({ res, query }) => {
      const { definition, type, from, to, requestId } = query;
      return listEvents(db, {
        applicationId: applicationIdOf(res),
        ...readPage(query, (text) => parseArrivalCursor(text) !== null),
        ...(definition !== undefined && { definition }),
        ...(type && { type }),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        ...(requestId && { requestId }),
      });
    }),
  ];
}
