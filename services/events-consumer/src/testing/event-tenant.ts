import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { readIngestReport } from '@tidings/events/ingest-log/ingest-report';
import { listUserEvents } from '@tidings/events/user-events';
import { readUser } from '@tidings/people/users';
import type { Database } from '@tidings/postgres/database';
import { applyRecords, createTestApplication, ingestRecord, userMessage } from '@tidings/testing';
import { applyUserMessages } from '@tidings/users-consumer/apply-user-messages';
import { applyEventMessages } from '../apply-event-messages.ts';

/** An application, and what tests of its events do in it. */
export async function eventTenant(db: Database) {
  const { applicationId } = await createTestApplication(db);
  const usersConsumer = { consumer: 'users', apply: applyUserMessages } as const;
  const eventsConsumer = { consumer: 'events', apply: applyEventMessages } as const;
  const record = (overrides: Partial<IngestRecord> = {}): IngestRecord =>
    ingestRecord({ applicationId, customUserId: 'ada', ...overrides });
  const report = ({ requestId }: IngestRecord) => readIngestReport(db, applicationId, requestId);
  return {
    applicationId,
    record,
    report,
    applyUsers: (...records: readonly IngestRecord[]) => applyRecords(db, usersConsumer, records),
    applyEvents: (...records: readonly IngestRecord[]) => applyRecords(db, eventsConsumer, records),
    register: () => applyRecords(db, usersConsumer, [record({ messages: [userMessage()] })]),
    async events(customUserId = 'ada') {
      const user = await readUser(db, applicationId, customUserId);
      return user === null ? null : (await listUserEvents(db, user.userId, { limit: 500 })).events;
    },
    async outcomes(sent: IngestRecord): Promise<string[]> {
      return ((await report(sent))?.messages ?? []).map(({ outcome, reason }) =>
        reason === undefined ? outcome : `${outcome} ${reason}`,
      );
    },
    async countEvents(): Promise<number> {
      const { rows } = await db.sql.query<{ n: string }>(
        'select count(*) as n from events where application_id = $1',
        [applicationId],
      );
      return Number(rows[0]?.n);
    },
  };
}
