import { listAuditEntries } from '@tidings/accounts/audit-log';
import { isUuid } from '@tidings/platform';
import type { DashboardDependencies } from '../../dependencies.ts';
import type { Route } from '../endpoint.ts';
import { readPage, toPage } from '../page.ts';
import { listAuditEndpoint } from './endpoints.ts';

/** The audit log of the organisation. */
export function auditRoutes({ db }: DashboardDependencies): Route[] {
  return [
    listAuditEndpoint.handledBy(async ({ query }) => {
      const { limit, ...page } = readPage(query, isUuid);
      const { application, member, action, from, to } = query;
      const entries = await listAuditEntries(db, {
        ...page,
        limit: limit + 1,
        ...(application !== undefined && { applicationId: application }),
        ...(member !== undefined && { memberId: member }),
        ...(action !== undefined && { action }),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
      });
      return toPage(entries, limit, ({ id }) => id);
    }),
  ];
}
