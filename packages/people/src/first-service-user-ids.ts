import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * The serviceUserId that the user got first. Own ids come before ids of merged anonymous users.
 * Stored at the first call, so that users merged later do not change it.
 * @callers events
 */
export async function firstServiceUserIds(
  sql: Sql,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(userIds)];
  const known = await readFirst(sql, wanted);
  const missing = wanted.filter((id) => !known.has(id));
  if (missing.length === 0) return known;
  await sql.query(statement('find-first-service-user-ids'), [missing]);
  // Read again: another transaction may have stored one first.
  return new Map([...known, ...(await readFirst(sql, missing))]);
}

async function readFirst(sql: Sql, userIds: readonly string[]): Promise<Map<string, string>> {
  if (userIds.length === 0) return new Map();
  const { rows } = await sql.query<{ id: string; first: string }>(
    statement('read-first-service-user-ids'),
    [userIds],
  );
  return new Map(rows.map((row) => [row.id, row.first]));
}
