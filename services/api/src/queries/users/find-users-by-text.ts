import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** A registered user with what a message is sent to. */
export type UserOfText = {
  readonly id: string;
  readonly custom_user_id: string;
  readonly email: string | null;
  readonly phone_e164: string | null;
};

/** How many of several users are named. */
const NAMED_MAX = 5;

/** The registered user with this id; else those with this e-mail address or phone number. */
export async function findUsersByText(
  sql: Sql,
  {
    applicationId,
    text,
    phone,
  }: {
    readonly applicationId: string;
    readonly text: string;
    /** In E.164; null if the text is none. */
    readonly phone: string | null;
  },
): Promise<readonly UserOfText[]> {
  const { rows: known } = await sql.query<UserOfText>(statement('find-user-by-id'), [
    applicationId,
    text,
  ]);
  if (known.length > 0) return known;
  const { rows } = await sql.query<UserOfText>(statement('find-users-by-contact'), [
    applicationId,
    text,
    phone,
    NAMED_MAX,
  ]);
  return rows;
}
