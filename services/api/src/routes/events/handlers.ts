import { listEventsEndpoint } from '@tidings/api-spec/endpoints/events';
import { parseArrivalCursor } from '@tidings/events/ingest-log/arrival';
import { listEvents } from '../../queries/ingest-log/events.ts';
import { getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { readPage } from '../../http/page.ts';

/** Events of all users, and events without a user. */
export function eventRoutes({ db }: ApiDependencies): Route[] {
  return [
    defineRoute(listEventsEndpoint, ({ res, query }) => {
      const { definition, type, from, to, requestId } = query;
      return listEvents(db, {
        applicationId: getApplicationId(res),
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
