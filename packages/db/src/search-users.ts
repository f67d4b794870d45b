import { isUuid } from '@tidings/platform';
import type { Database } from './database.ts';
import { toE164 } from './ingest/e164.ts';
import { getApplication } from './applications.ts';
import { SERVICE_USER_IDS } from './users.ts';

/** Users that a list looks at for one page; those who are not registered are looked at and not shown. */
const SCANNED_MAX = 5_000;
/** Users found by one e-mail address, phone number or hash: beyond it they are no answer to who somebody is. */
const NAMESAKES_MAX = 1_000;

/** A registered user in a list. */
export type ListedUser = {
  readonly customUserId: string;
  readonly serviceUserIds: readonly string[];
  readonly registeredAt: number;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly email: string | null;
  readonly phoneNumber: string | null;
};

export type UsersQuery = {
  readonly applicationId: string;
  readonly limit: number;
  readonly cursor?: string;
  /** A customUserId or its beginning, a serviceUserId, e-mail address, phone number or hash of one of the two. */
  readonly search?: string;
};

type Row = {
  readonly custom_user_id: string;
  readonly service_user_ids: string[];
  readonly registered_at: Date;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly email: string | null;
  readonly phone_number: string | null;
};

/** A page of registered users by customUserId, which is the cursor. It may be short and still have a cursor. */
export async function searchUsers(db: Database, query: UsersQuery): Promise<{ readonly items: ListedUser[]; readonly nextCursor: string | null }> {
  const { applicationId, limit, cursor, search } = query;
  const others = search === undefined ? [] : await findByContact(db, applicationId, search);
  const { rows } = await db.sql.query<{ scanned_to: string | null } & (Row | { readonly custom_user_id: null })>(USERS, [
    applicationId,
    cursor ?? null,
    search ?? '',
    SCANNED_MAX,
    others,
    limit + 1,
  ]);
  const found = rows.flatMap((row) => (row.custom_user_id === null ? [] : [row]));
  const scannedTo = rows[0]?.scanned_to ?? null;
  // Beyond where the look ended there may be some that come before one found otherwise.
  const complete = scannedTo === null ? found : found.filter((row) => Buffer.compare(Buffer.from(row.custom_user_id), Buffer.from(scannedTo)) <= 0);
  const shown = complete.slice(0, limit);
  return {
    items: shown.map(toListedUser),
    nextCursor: complete.length > limit ? (shown.at(-1)?.custom_user_id ?? null) : scannedTo,
  };
}

/** The persons of a serviceUserId, e-mail address, phone number or hash, each by its index. */
async function findByContact(db: Database, applicationId: string, search: string): Promise<string[]> {
  const application = await getApplication(db, applicationId);
  const { rows } = await db.sql.query<{ id: string }>(
    `select coalesce(u.merged_into, u.id) as id from user_identities i join users u on u.id = i.user_id
       where i.application_id = $1 and i.service_user_id = $3::uuid
     union (select coalesce(merged_into, id) from users where application_id = $1 and email_key = left(lower($2), 320) limit $5)
     union (select coalesce(merged_into, id) from users where application_id = $1 and phone_e164 = $4 limit $5)
     union (select coalesce(merged_into, id) from users where application_id = $1 and hashed_email_key = left($2, 320) limit $5)
     union (select coalesce(merged_into, id) from users where application_id = $1 and hashed_phone_key = left($2, 320) limit $5)`,
    [applicationId, search, isUuid(search) ? search : null, toE164(search, application?.settings.defaultCountry), NAMESAKES_MAX],
  );
  return rows.map(({ id }) => id);
}

function toListedUser(row: Row): ListedUser {
  return {
    customUserId: row.custom_user_id,
    serviceUserIds: row.service_user_ids,
    registeredAt: row.registered_at.getTime(),
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
    phoneNumber: row.phone_number,
  };
}

// The range of a prefix ends before the prefix with the last code point behind it: ids are compared byte by byte.
const USERS = `
  with scanned as (
    select id, custom_user_id from users
    where application_id = $1 and custom_user_id >= $3 and custom_user_id <= $3 || repeat(chr(1114111), 4) and starts_with(custom_user_id, $3)
      and ($2::text is null or custom_user_id > $2)
    order by custom_user_id limit $4),
  scan as (select case when count(*) = $4 then max(custom_user_id) end as scanned_to from scanned)
  select scan.scanned_to, u.* from scan left join (
    select u.custom_user_id, u.registered_at, u.fields ->> 'firstName' as first_name, u.fields ->> 'lastName' as last_name,
           u.fields ->> 'email' as email, u.fields ->> 'phoneNumber' as phone_number, ${SERVICE_USER_IDS} as service_user_ids
    from users u
    where u.id in (select id from scanned union all select unnest($5::uuid[]))
      and u.application_id = $1 and u.registered_at is not null and ($2::text is null or u.custom_user_id > $2)
    order by u.custom_user_id limit $6) as u on true
  order by u.custom_user_id`;
