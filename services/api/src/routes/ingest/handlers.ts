import {
  listIngestEndpoint,
  readIngestEndpoint,
  readMessageEndpoint,
} from '@tidings/api-spec/endpoints/ingest';
import { parseArrivalCursor } from '@tidings/events/log/arrival';
import { listIngestLog } from '@tidings/events/log/ingest-log';
import { readIngestReport } from '@tidings/events/log/ingest-report';
import type { LogEntry } from '@tidings/events/log/log-entry';
import { isRefused } from '@tidings/events/log/refused';
import { readWhose } from '@tidings/events/log/whose';
import { AppError } from '@tidings/platform';
import { findMessages } from '../../queries/log/find-message.ts';
import { readMessageDetail } from '../../queries/log/message-detail.ts';
import { applicationIdOf } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { handledBy, type Route } from '../../http/route.ts';
import { readPage } from '../../http/page.ts';

const REFUSED = 'This request was refused. GET /api/v1/ingest?requestId=… says why.';
const NOT_READ =
  'No consumer has read a request with this id. If it was refused, GET /api/v1/ingest?requestId=… says why.';

/** The ingest log, and what became of each message of an accepted `POST /`. */
export function ingestRoutes({ db }: ApiDependencies): Route[] {
  return [
    handledBy(listIngestEndpoint, async ({ res, query }) => {
      const { outcome, reason, requestId, messageId, customUserId } = query;
      const applicationId = applicationIdOf(res);
      const page = readPage(query, (text) => parseArrivalCursor(text) !== null);
      const whose =
        customUserId === undefined
          ? undefined
          : await readWhose(db.sql, applicationId, customUserId);
      if (messageId !== undefined) {
        const found = await findMessages(db, {
          applicationId,
          messageId,
          limit: page.limit,
          ...(whose && { whose }),
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
        ...(whose && { whose }),
      });
    }),
    handledBy(readMessageEndpoint, async ({ res, params, query: { customUserId } }) => {
      const applicationId = applicationIdOf(res);
      const whose =
        customUserId === undefined
          ? undefined
          : await readWhose(db.sql, applicationId, customUserId);
      const detail = await readMessageDetail(db, {
        applicationId,
        requestId: String(params['requestId']).toLowerCase(),
        index: Number(params['index']),
        ...(whose && { whose }),
      });
      if (detail === null) throw new AppError('not_found', 'No consumer has read such a message.');
      return detail;
    }),
    handledBy(readIngestEndpoint, async ({ res, params }) => {
      const [applicationId, requestId] = [applicationIdOf(res), String(params['requestId'])];
      const report = await readIngestReport(db, applicationId, requestId);
      if (report === null)
        throw new AppError(
          'not_found',
          (await isRefused(db, applicationId, requestId)) ? REFUSED : NOT_READ,
        );
      return report;
    }),
  ];
}
