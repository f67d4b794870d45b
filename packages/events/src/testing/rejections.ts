import { systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { RejectedRequest } from '../rejected-requests.ts';

/** A rejected request of an application. */
export const rejection = (
  applicationId: string,
  fields: Partial<RejectedRequest> = {},
): RejectedRequest => ({
  requestId: systemIds.uuid(),
  applicationId,
  keyId: systemIds.uuid(),
  receivedAt: 1_700_000_000_123,
  path: '/',
  status: 400,
  code: 'validation_failed',
  address: null,
  errors: [],
  unlisted: 0,
  customUserId: null,
  serviceUserId: null,
  ...fields,
});

/** The stored rejected requests of the application, sorted by path. */
export async function storedRejections(db: Database, applicationId: string): Promise<unknown[]> {
  const { rows } = await db.sql.query<Record<string, unknown>>(
    `select request_id, key_id, extract(epoch from received_at) * 1000 as received_ms, path, status, code, address, errors, unlisted, custom_user_id, service_user_id
     from refused_requests where application_id = $1 order by path`,
    [applicationId],
  );
  return rows;
}
