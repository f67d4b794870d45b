import { getApplication } from '@tidings/accounts/applications';
import { toE164 } from '@tidings/people/e164';
import { SERVICE_USER_IDS } from '@tidings/people/users';
import { isUuid, mailboxKey } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';

/** Maximum merged users per lookup. */
const MERGED_USERS_MAX = 100;

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
  /**
   * A customUserId prefix, or exactly a serviceUserId, e-mail address, phone number or hash of one
   * of the last two.
   */
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

/**
 * A page of registered users, ordered by customUserId, which is also the cursor. Reads at most one
 * page of rows per index.
 */
export async function searchUsers(
  db: Database,
  query: UsersQuery,
): Promise<{ readonly items: ListedUser[]; readonly nextCursor: string | null }> {
  const { applicationId, limit, cursor, search } = query;
  const ids =
    search === undefined ? BY_ID : [BY_ID, BY_SERVICE_USER_ID, ...BY_CONTACT].join(' union ');
  const { rows } = await db.sql.query<Row>(
    `select u.custom_user_id, u.registered_at, u.fields ->> 'firstName' as first_name, u.fields ->> 'lastName' as last_name,
            u.fields ->> 'email' as email, u.fields ->> 'phoneNumber' as phone_number, ${SERVICE_USER_IDS} as service_user_ids
     from (${ids}) as found(user_id) cross join lateral (select * from users where id = found.user_id offset 0) as u
     where u.registered_at is not null and ($2::text is null or u.custom_user_id > $2)
     order by u.custom_user_id limit $3`,
    [
      applicationId,
      cursor ?? null,
      limit + 1,
      search ?? '',
      ...(search === undefined ? [] : await searchValues(db, applicationId, search)),
    ],
  );
  const shown = rows.slice(0, limit);
  return {
    items: shown.map(toListedUser),
    nextCursor: rows.length > limit ? (shown.at(-1)?.custom_user_id ?? null) : null,
  };
}

/** The values that {@link BY_SERVICE_USER_ID} and {@link BY_CONTACT} compare. */
async function searchValues(
  db: Database,
  applicationId: string,
  search: string,
): Promise<unknown[]> {
  const application = await getApplication(db, applicationId);
  const contact = search.trim();
  return [
    isUuid(contact) ? contact : null,
    contact,
    toE164(contact, application?.settings.defaultCountry),
    // Hashes are usually hexadecimal, in either letter case.
    [...new Set([contact, contact.toLowerCase(), contact.toUpperCase()])],
    mailboxKey(contact),
  ];
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

// Prefix range up to the largest code point: ids are compared bytewise.
const BY_ID = `
  (select id from users
   where application_id = $1 and registered_at is not null and ($2::text is null or custom_user_id > $2)
     and custom_user_id >= $4 and custom_user_id <= $4 || repeat(chr(1114111), 4)
   order by custom_user_id limit $3)`;

const BY_SERVICE_USER_ID = `
  (select coalesce(u.merged_into, u.id) from user_identities i join users u on u.id = i.user_id
   where i.application_id = $1 and i.service_user_id = $5::uuid)`;

/**
 * For each contact index: users with this contact in page order, and merged users who had it
 * before. Written as ranges of one value in index order. With equality, the planner might scan
 * another index by customUserId past all other users when it estimates many matches.
 */
const BY_CONTACT = [
  { key: 'email_key', value: 'left(lower($6), 320)' },
  // The key of the mailbox, where the address is written in another spelling here or there.
  { key: 'email_key', value: 'nullif($9, left(lower($6), 320))' },
  {
    key: 'mailbox_key',
    value: '$9',
    where: 'mailbox_spelling = email_key and ',
  },
  { key: 'phone_e164', value: '$7' },
  {
    key: "phone_signs(fields ->> 'phoneNumber')",
    value: "nullif(phone_signs($6), '')",
    where: "fields ->> 'phoneNumber' is not null and ",
  },
  {
    key: 'hashed_email_key',
    value: 'left(hash, 320)',
    each: 'unnest($8::text[]) as hash cross join lateral ',
  },
  {
    key: 'hashed_phone_key',
    value: 'left(hash, 320)',
    each: 'unnest($8::text[]) as hash cross join lateral ',
  },
].flatMap(({ key, value, where = '', each = '' }) => {
  const own = `(select id from users
    where application_id = $1 and ${where}registered_at is not null and (${key}, custom_user_id) > (${value}, coalesce($2::text, '')) and ${key} <= ${value}
    order by ${key}, custom_user_id limit $3)`;
  const former = `(select merged_into as id from users
    where application_id = $1 and ${where}custom_user_id is null and ${key} >= ${value} and ${key} <= ${value}
    order by ${key} limit ${MERGED_USERS_MAX})`;
  return [own, former].map((look) => `(select id from ${each}${look} as hit)`);
});
