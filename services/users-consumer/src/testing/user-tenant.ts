import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { readIngestReport } from '@tidings/events/ingest-log/ingest-report';
import { readUser } from '@tidings/people/users';
import type { Database } from '@tidings/postgres/database';
import { applyRecords, createTestApplication, ingestRecord, userMessage } from '@tidings/testing';
import { applyUserMessages } from '../apply-user-messages.ts';

/** An application, and what tests of user messages do in it. */
export async function userTenant(db: Database) {
  const { applicationId } = await createTestApplication(db);
  return {
    applicationId,
    async e164(): Promise<string | null> {
      const { rows } = await db.sql.query<{ e164: string | null }>(
        "select phone_e164 as e164 from users where application_id = $1 and custom_user_id = 'ada'",
        [applicationId],
      );
      return rows[0]?.e164 ?? null;
    },
    record: (overrides: Partial<IngestRecord> = {}): IngestRecord =>
      ingestRecord({ applicationId, customUserId: 'ada', messages: [userMessage()], ...overrides }),
    apply: (...records: readonly IngestRecord[]) =>
      applyRecords(db, { consumer: 'users', apply: applyUserMessages }, records),
    read: (customUserId = 'ada') => readUser(db, applicationId, customUserId),
    async profile() {
      return (await readUser(db, applicationId, 'ada'))?.profile;
    },
    /** Outcome and, if any, reason of each message. */
    async outcomes({ requestId }: IngestRecord): Promise<string[]> {
      const report = await readIngestReport(db, applicationId, requestId);
      return (report?.messages ?? []).map(({ outcome, reason }) =>
        reason === undefined ? outcome : `${outcome} ${reason}`,
      );
    },
  };
}
