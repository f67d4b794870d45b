import { readIngestReport } from '@tidings/db';
import { AppError } from '@tidings/platform';
import type { DashboardDependencies } from '../../dependencies.ts';
import { applicationIdOf } from '../../auth/access.ts';
import { idParameter, sendJson, type Route } from '../route.ts';

/** What became of each message of an accepted `POST /`. */
export function ingestRoutes({ db }: DashboardDependencies): Route[] {
  return [
    {
      method: 'GET',
      path: 'ingest/:requestId',
      access: 'reader',
      handle: async (req, res) => {
        const report = await readIngestReport(db, applicationIdOf(res), idParameter(req, 'requestId'));
        if (report === null) throw new AppError('not_found', 'No consumer has read a request with this id.');
        sendJson(res, report);
      },
    },
  ];
}
