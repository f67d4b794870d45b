import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** The users that are this person: the one with the id, registered or not, and those who were merged into it; none where nobody was seen. */
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
