import type { Database } from '@tidings/postgres/database';
import type { JsonObject } from '../../load/json.ts';

export type StoredReceipt = {
  readonly requestId: string;
  readonly index: number;
  readonly messageId: string;
  readonly type: string;
  readonly outcome: string;
  readonly reason: string | null;
};
export type StoredEvent = {
  readonly requestId: string;
  readonly index: number;
  readonly messageId: string;
  readonly type: string;
  readonly time: number;
  readonly tag: string | null;
  readonly revenue: number | null;
};
export type StoredUser = {
  readonly customUserId: string;
  readonly isRegistered: boolean;
  readonly fields: JsonObject;
  readonly customAttributes: JsonObject;
};

/** Stored data of one application, read directly from Postgres. */
export type Stored = {
  readonly receipts: readonly StoredReceipt[];
  readonly events: readonly StoredEvent[];
  readonly users: readonly StoredUser[];
};

/** The receipt of an event that has none, or a pending one, is derived from it. */
const RECEIPTS = `
  select request_id as "requestId", message_index as index, message_id as "messageId", type, outcome, reason
  from receipts r where application_id = $1
    and not (outcome = 'pending' and exists (
      select from events e where e.request_id = r.request_id and e.message_index = r.message_index and e.received_at = r.received_at))
  union all
  select request_id, message_index, message_id, type, 'stored', null
  from events e where application_id = $1
    and not exists (
      select from receipts r where r.request_id = e.request_id and r.message_index = e.message_index and r.received_at = e.received_at
        and r.outcome <> 'pending')`;

export async function readStored(db: Database, applicationId: string): Promise<Stored> {
  const read = async <T>(statement: string): Promise<readonly T[]> =>
    (await db.sql.query<T & object>(statement, [applicationId])).rows;
  return {
    receipts: await read<StoredReceipt>(RECEIPTS),
    events: await read<StoredEvent>(
      `select request_id as "requestId", message_index as index, message_id as "messageId", type, time::float8 as time, attributes ->> 'tag' as tag, revenue
       from events where application_id = $1`,
    ),
    users: await read<StoredUser>(
      `select custom_user_id as "customUserId", registered_at is not null as "isRegistered", fields, custom_attributes as "customAttributes"
       from users where application_id = $1 and custom_user_id is not null`,
    ),
  };
}

/** Tables that a redelivered record must not change, without timestamps of processing. */
const FINGERPRINTED: Readonly<Record<string, string>> = {
  events:
    'request_id, message_index, user_id, message_id, type, slug, time, received_at, attributes, revenue, currency',
  receipts: 'request_id, message_index, message_id, type, outcome, reason, user_id',
  duplicate_keys: 'id_key, user_time_key, request_id, message_index',
  users:
    'id, application_id, custom_user_id, registered_at, merged_into, fields, custom_attributes, clocks',
  user_identities: 'application_id, service_user_id, user_id',
  definitions: 'application_id, slug, kind, name, origin',
  ingest_requests: 'request_id, application_id, received_at, message_count',
};

/** A checksum and row count per table, over the whole database. */
export async function fingerprints(db: Database): Promise<Readonly<Record<string, string>>> {
  const prints: Record<string, string> = {};
  for (const [table, columns] of Object.entries(FINGERPRINTED)) {
    const { rows } = await db.sql.query<{ print: string }>(
      `select count(*) || '/' || coalesce(sum(hashtextextended(row_to_json(t)::text, 0)), 0) as print from (select ${columns} from ${table}) t`,
    );
    prints[table] = rows[0]?.print ?? '';
  }
  return prints;
}
