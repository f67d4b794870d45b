import { getApplication } from '@tidings/accounts/applications';
import { toE164 } from '@tidings/people/e164';
import { isUuid, mailboxKey } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** Maximum merged users per lookup. */
export const MERGED_USERS_MAX = 100;

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
  const page = [applicationId, cursor ?? null, limit + 1, search ?? ''];
  const { rows } =
    search === undefined
      ? await db.sql.query<Row>(statement('list-users'), page)
      : await db.sql.query<Row>(statement('search-users'), [
          ...page,
          ...contactValues(
            search,
            (await getApplication(db, applicationId))?.settings.defaultCountry,
          ),
          MERGED_USERS_MAX,
        ]);
  const shown = rows.slice(0, limit);
  return {
    items: shown.map(toListedUser),
    nextCursor: rows.length > limit ? (shown.at(-1)?.custom_user_id ?? null) : null,
  };
}

/** What ids and contacts are compared with. `uuid`: the serviceUserId that it may be. */
export function contactValues(
  search: string,
  defaultCountry: string | undefined,
  uuid = isUuid(search.trim()) ? search.trim() : null,
): unknown[] {
  const contact = search.trim();
  return [
    uuid,
    contact,
    toE164(contact, defaultCountry),
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
