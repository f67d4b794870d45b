import type { Sql } from '@tidings/postgres/database';

/** The users that are this person: the one with the id, registered or not, and those who were merged into it; none where nobody was seen. */
export async function readUserIds(
  sql: Sql,
  applicationId: string,
  customUserId: string,
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `with person as (select id from users where application_id = $1 and custom_user_id = $2)
     select id from person union all select u.id from person p join users u on u.merged_into = p.id limit 1000`,
    [applicationId, customUserId],
  );
  return rows.map(({ id }) => id);
}
