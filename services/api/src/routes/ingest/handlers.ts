import {
  listIngestEndpoint,
  readIngestEndpoint,
  readMessageEndpoint,
} from '@tidings/api-spec/endpoints/ingest';
import { parseArrivalCursor } from '@tidings/events/ingest-log/arrival';
import { listIngestLog } from '@tidings/events/ingest-log/ingest-log';
import { readIngestReport } from '@tidings/events/ingest-log/ingest-report';
import type { LogEntry } from '@tidings/events/ingest-log/log-entry';
import { isRejectedRequest } from '@tidings/events/ingest-log/rejected';
import { readUserFilter } from '@tidings/events/ingest-log/user-filter';
import { AppError } from '@tidings/platform';
import { findMessages } from '../../queries/ingest-log/find-message.ts';
import { readMessageDetail } from '../../queries/ingest-log/message-detail.ts';
import { getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { readPage } from '../../http/page.ts';

const REFUSED = 'This request was rejected. GET /api/v1/ingest?requestId=… gives the reason.';
const NOT_READ =
  'No request with this id was processed yet. If it was rejected, GET /api/v1/ingest?requestId=… gives the reason.';

/** The ingest log, and the outcome of each message of an accepted `POST /`. */
export function ingestRoutes({ db }: ApiDependencies): Route[] {
  return [
    defineRoute(listIngestEndpoint, async ({ res, query }) => {
      const { outcome, reason, requestId, messageId, customUserId } = query;
      const applicationId = getApplicationId(res);
      const page = readPage(query, (text) => parseArrivalCursor(text) !== null);
      const userFilter =
        customUserId === undefined
          ? undefined
          : await readUserFilter(db.sql, applicationId, customUserId);
      if (messageId !== undefined) {
        const found = await findMessages(db, {
          applicationId,
          messageId,
          limit: page.limit,
          ...(userFilter && { userFilter }),
        });
        const isWanted = (entry: LogEntry): boolean =>
          (outcome === undefined || entry.outcome === outcome) &&
          (reason === undefined || ('reason' in entry && entry.reason === reason)) &&
          (requestId === undefined || entry.requestId === requestId.toLowerCase());
        return { ...found, items: found.items.filter(isWanted) };
      }
      return listIngestLog(db, {
        applicationId,
        ...page,
        ...(outcome && { outcome }),
        ...(reason && { reason }),
        ...(requestId && { requestId }),
        ...(userFilter && { userFilter }),
      });
    }),
    defineRoute(readMessageEndpoint, async ({ res, params, query: { customUserId } }) => {
      const applicationId = getApplicationId(res);
      const userFilter =
        customUserId === undefined
          ? undefined
          : await readUserFilter(db.sql, applicationId, customUserId);
      const detail = await readMessageDetail(db, {
        applicationId,
        requestId: String(params['requestId']).toLowerCase(),
        index: Number(params['index']),
        ...(userFilter && { userFilter }),
      });
      if (detail === null) throw new AppError('not_found', 'No such message was processed yet.');
      return detail;
    }),
    defineRoute(readIngestEndpoint, async ({ res, params }) => {
      const [applicationId, requestId] = [getApplicationId(res), String(params['requestId'])];
      const report = await readIngestReport(db, applicationId, requestId);
      if (report === null)
        throw new AppError(
          'not_found',
          (await isRejectedRequest(db, applicationId, requestId)) ? REFUSED : NOT_READ,
        );
      return report;
    }),
  ];
}
