import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * The ids of a person: the user with the customUserId, registered or not, and the anonymous users
 * merged into it. Empty when there is none.
 */
export async function readUserIds(
  sql: Sql,
  applicationId: string,
  customUserId: string,
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(statement('read-user-ids'), [
    applicationId,
    customUserId,
  ]);
  return rows.map(({ id }) => id);
}
