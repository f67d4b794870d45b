import { messageIndexOf, type IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import type { Sql } from '@tidings/postgres/database';
import { applyUserMessages } from '@tidings/users-consumer/apply-user-messages';
import { applyEventMessages } from '../apply-event-messages.ts';

/** Applies events as the version before derived receipts did: each stored event has a receipt. */
export async function applyEventsAsPreviousVersion(
  sql: Sql,
  records: readonly IngestRecord[],
): Promise<void> {
  await applyEventMessages(sql, records);
  await sql.query(
    `insert into receipts as r (request_id, message_index, application_id, message_id, type, outcome, user_id, received_at)
     select request_id, message_index, application_id, message_id, type, 'stored', user_id, received_at
     from events where request_id = any($1::uuid[])
     on conflict (request_id, message_index, received_at) do update
     set outcome = excluded.outcome, user_id = excluded.user_id where r.outcome = 'pending'`,
    [records.map(({ requestId }) => requestId)],
  );
}

/** Applies `user` messages as that version did: each other message without a receipt is pending. */
export async function applyUsersAsPreviousVersion(
  sql: Sql,
  records: readonly IngestRecord[],
): Promise<void> {
  await applyUserMessages(sql, records);
  const messages = records.flatMap((record) =>
    record.messages.map((message, index) => ({ record, message, index })),
  );
  await sql.query(
    `insert into receipts (request_id, message_index, application_id, message_id, type, outcome, received_at)
     select request_id, message_index, application_id, message_id, type, 'pending', to_timestamp(received_at / 1000.0)
     from unnest($1::uuid[], $2::int[], $3::uuid[], $4::text[], $5::text[], $6::float8[])
       as x(request_id, message_index, application_id, message_id, type, received_at)
     on conflict do nothing`,
    [
      messages.map(({ record }) => record.requestId),
      messages.map(messageIndexOf),
      messages.map(({ record }) => record.applicationId),
      messages.map(({ message }) => message.id),
      messages.map(({ message }) => message.type),
      messages.map(({ record }) => record.receivedAt),
    ],
  );
}

/** That version's deletion of events past the retention of their application. */
export async function deleteOldEventsAsPreviousVersion(
  sql: Sql,
  { applicationId, before }: { readonly applicationId: string; readonly before: Date },
): Promise<void> {
  await sql.query('delete from events where application_id = $1 and received_at < $2', [
    applicationId,
    before,
  ]);
}
