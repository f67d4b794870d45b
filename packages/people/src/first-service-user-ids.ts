import type { Sql } from '@tidings/postgres/database';

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
  await sql.query(
    `update users u set first_service_user_id = (
       select i.service_user_id
       from (select false as is_merged, created_at, service_user_id from user_identities where user_id = u.id
             union all
             select true, j.created_at, j.service_user_id from users o join user_identities j on j.user_id = o.id where o.merged_into = u.id) i
       order by i.is_merged, i.created_at, i.service_user_id limit 1)
     from (select id from users where id = any($1) order by id for no key update) locked
     where u.id = locked.id and u.first_service_user_id is null`,
    [missing],
  );
  // Read again: another transaction may have been first.
  return new Map([...known, ...(await readFirst(sql, missing))]);
}

async function readFirst(sql: Sql, userIds: readonly string[]): Promise<Map<string, string>> {
  if (userIds.length === 0) return new Map();
  const { rows } = await sql.query<{ id: string; first: string }>(
    'select id, first_service_user_id as first from users where id = any($1) and first_service_user_id is not null',
    [userIds],
  );
  return new Map(rows.map((row) => [row.id, row.first]));
}
