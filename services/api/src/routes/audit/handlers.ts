import { listAuditEntries } from '@tidings/accounts/audit-log';
import { listAuditEndpoint } from '@tidings/api-spec/endpoints/audit';
import { isUuid } from '@tidings/platform';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { readPage, toPage } from '../../http/page.ts';

/** The audit log of the organisation. */
export function auditRoutes({ db }: ApiDependencies): Route[] {
  return [
    defineRoute(listAuditEndpoint, async ({ query }) => {
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
