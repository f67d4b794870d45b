import { isRefused, listIngestLog, parseArrivalCursor, readIngestReport } from '@tidings/db';
import { AppError } from '@tidings/platform';
import { applicationIdOf } from '../../auth/access.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import type { Route } from '../endpoint.ts';
import { readPage } from '../page.ts';
import { listIngestEndpoint, readIngestEndpoint } from './endpoints.ts';

const REFUSED = 'This request was refused. GET /api/v1/ingest?requestId=… says why.';
const NOT_READ = 'No consumer has read a request with this id. If it was refused, GET /api/v1/ingest?requestId=… says why.';

/** The ingest log, and what became of each message of an accepted `POST /`. */
export function ingestRoutes({ db }: DashboardDependencies): Route[] {
  return [
    listIngestEndpoint.handledBy(({ res, query }) => {
      const { outcome, reason, requestId } = query;
      return listIngestLog(db, {
        applicationId: applicationIdOf(res),
        ...readPage(query, (text) => parseArrivalCursor(text) !== null),
        ...(outcome && { outcome }),
        ...(reason && { reason }),
        ...(requestId && { requestId }),
      });
    }),
    readIngestEndpoint.handledBy(async ({ res, params }) => {
      const [applicationId, requestId] = [applicationIdOf(res), String(params['requestId'])];
      const report = await readIngestReport(db, applicationId, requestId);
      if (report === null) throw new AppError('not_found', (await isRefused(db, applicationId, requestId)) ? REFUSED : NOT_READ);
      return report;
    }),
  ];
}
