import { phonePrefixes } from '@tidings/people/e164';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { splitNames } from './split-names.ts';
import { contactValues, MERGED_USERS_MAX } from './search-users.ts';

const statement = statementsIn(import.meta.dirname);

/** A registered user as people recognise one. */
export type FoundPerson = {
  readonly custom_user_id: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly email: string | null;
  readonly phone_number: string | null;
};

/**
 * Registered users by what is typed: the beginning of a customUserId, of a first or last
 * name, of both in either order, of an e-mail address or of a phone number, or exactly a
 * serviceUserId or a hash. The best matches first. Reads at most `limit` rows of each index.
 */
export async function findPeople(
  sql: Sql,
  {
    applicationId,
    defaultCountry,
    text,
    uuid,
    limit,
  }: {
    readonly applicationId: string;
    readonly defaultCountry: string | undefined;
    readonly text: string;
    /** The serviceUserId that the text may be; default: the text, if it is a UUID. */
    readonly uuid?: string | null;
    readonly limit: number;
  },
): Promise<FoundPerson[]> {
  const splits = splitNames(text);
  const { rows } = await sql.query<FoundPerson>(statement('find-people'), [
    applicationId,
    null,
    limit,
    text,
    ...contactValues(text, defaultCountry, uuid),
    MERGED_USERS_MAX,
    splits.map(([whole]) => whole),
    splits.map(([, beginning]) => beginning),
    phonePrefixes(text, defaultCountry),
  ]);
  return rows;
}
