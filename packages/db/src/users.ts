import { parseExactJson } from '@tidings/platform';
import type { Database } from './database.ts';
import { EVENT_COLUMNS, EVENT_DEFINITION, toEventRecord, type EventRow } from './event-row.ts';
import type { EventRecord } from './ingest/events.ts';

export type UserRecord = {
  readonly userId: string;
  readonly customUserId: string;
  readonly serviceUserIds: readonly string[];
  readonly registeredAt: number;
  readonly updatedAt: number;
  readonly profile: Readonly<Record<string, unknown>>;
  /** The phone number in E.164; null where the profile has none, or none that is a number. */
  readonly phoneE164: string | null;
};

/** SQL: the serviceUserIds of the user `u`, those of its anonymous past included: the 500 oldest, oldest first. */
export const SERVICE_USER_IDS = `array(
  select i.service_user_id::text from users o join user_identities i on i.user_id = o.id
  where o.id = u.id or o.merged_into = u.id order by i.created_at, i.service_user_id limit 500)`;

/** A registered user of this application with its profile, or null. Integers beyond 2^53 are bigints. */
export async function readUser(
  db: Database,
  applicationId: string,
  customUserId: string,
): Promise<UserRecord | null> {
  const { rows } = await db.sql.query<{
    id: string;
    registered_at: Date;
    updated_at: Date;
    fields: string;
    custom_attributes: string;
    phone_e164: string | null;
    service_user_ids: string[];
  }>(
    `select u.id, u.registered_at, u.updated_at, u.phone_e164, u.fields::text, u.custom_attributes::text,
            ${SERVICE_USER_IDS} as service_user_ids
     from users u where u.application_id = $1 and u.custom_user_id = $2 and u.registered_at is not null`,
    [applicationId, customUserId],
  );
  const [row] = rows;
  if (row === undefined) return null;
  return {
    userId: row.id,
    customUserId,
    serviceUserIds: row.service_user_ids,
    registeredAt: row.registered_at.getTime(),
    updatedAt: row.updated_at.getTime(),
    profile: {
      ...(parseExactJson(row.fields) as Record<string, unknown>),
      customAttributes: parseExactJson(row.custom_attributes),
    },
    phoneE164: row.phone_e164,
  };
}

/** A page of a user's events, newest first by event time, those of its anonymous past included. The cursor is opaque. */
export async function listUserEvents(
  db: Database,
  userId: string,
  page: { readonly cursor?: string; readonly limit: number },
): Promise<{ readonly events: EventRecord[]; readonly nextCursor: string | null }> {
  const [time, requestId, index] = page.cursor?.split('_') ?? [];
  const { rows } = await db.sql.query<EventRow>(
    `select ${EVENT_COLUMNS}
     from (select newest.* from users u cross join lateral (
             select * from events where user_id = u.id
               and ($2::bigint is null or (time, request_id, message_index) < ($2::bigint, $3::uuid, $4::int))
             order by time desc, request_id desc, message_index desc limit $5) newest
           where u.id = $1 or u.merged_into = $1
           order by newest.time desc, newest.request_id desc, newest.message_index desc limit $5) e
     ${EVENT_DEFINITION}
     order by e.time desc, e.request_id desc, e.message_index desc`,
    [userId, time ?? null, requestId ?? null, index ?? null, page.limit + 1],
  );
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const hasMore = rows.length > page.limit && last !== undefined;
  return {
    events: shown.map(toEventRecord),
    nextCursor: hasMore ? `${last.time}_${last.request_id}_${last.message_index}` : null,
  };
}
