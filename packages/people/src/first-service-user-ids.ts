import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * The serviceUserId that was assigned when the user was first seen: its own before those of the anonymous users it
 * turned out to be. Written down when it is first asked for, so that whoever joins later does not change it.
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
  // Read again: another transaction may have been first.
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
