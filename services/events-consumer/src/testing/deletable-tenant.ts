import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { readIngestReport } from '@tidings/events/ingest-log/ingest-report';
import { listUserEvents } from '@tidings/events/user-events';
import { readUser } from '@tidings/people/users';
import { systemClock, type Clock } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import {
  actionMessage,
  applyRecords,
  createTestApplication,
  ingestRecord,
  userMessage,
} from '@tidings/testing';
import { deleteUser } from '@tidings/user-data/delete-user';
import { applyUserMessages } from '@tidings/users-consumer/apply-user-messages';
import { applyEventMessages } from '../apply-event-messages.ts';

export const LATER_MS = 60_000;

/** An application, and what tests of deleted users do in it. */
export async function deletableTenant(db: Database) {
  const { applicationId } = await createTestApplication(db);
  const record = (overrides: Partial<IngestRecord> = {}): IngestRecord =>
    ingestRecord({
      applicationId,
      customUserId: 'ada',
      messages: [userMessage({ email: 'ada@example.com' }), actionMessage()],
      ...overrides,
    });
  const applyUsers = (...records: readonly IngestRecord[]) =>
    applyRecords(db, { consumer: 'users', apply: applyUserMessages }, records);
  const applyEvents = (...records: readonly IngestRecord[]) =>
    applyRecords(db, { consumer: 'events', apply: applyEventMessages }, records);
  const count = async (from: string): Promise<number> => {
    const { rows } = await db.sql.query<{ n: string }>(
      `select count(*) as n from ${from} and application_id = $1`,
      [applicationId],
    );
    return Number(rows[0]?.n);
  };
  return {
    applicationId,
    record,
    applyUsers,
    applyEvents,
    count,
    async apply(...records: readonly IngestRecord[]): Promise<void> {
      await applyUsers(...records);
      await applyEvents(...records);
    },
    remove: (
      customUserId = 'ada',
      options: { readonly clock?: Clock; readonly rowsPerStep?: number } = {},
    ) => deleteUser(db, { applicationId, customUserId, clock: systemClock, ...options }),
    read: (customUserId = 'ada') => readUser(db, applicationId, customUserId),
    async eventIds(customUserId = 'ada'): Promise<string[]> {
      const user = await readUser(db, applicationId, customUserId);
      return user === null
        ? []
        : (await listUserEvents(db, user.userId, { limit: 100 })).events.map(({ id }) => id);
    },
    async outcomes({ requestId }: IngestRecord): Promise<string[]> {
      const report = await readIngestReport(db, applicationId, requestId);
      return (report?.messages ?? []).map(({ outcome, reason }) =>
        reason === undefined ? outcome : `${outcome} ${reason}`,
      );
    },
    /** All rows of users in this application. */
    async remains(): Promise<number> {
      const counts = await Promise.all(
        [
          'users where true',
          'user_identities where true',
          'events where true',
          'receipts where user_id is not null',
          'message_keys where service_user_id is not null',
          'dead_letters where true',
          'refused_requests where (custom_user_id is not null or service_user_id is not null)',
        ].map(count),
      );
      return counts.reduce((sum, n) => sum + n, 0);
    },
  };
}
