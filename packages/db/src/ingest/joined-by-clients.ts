import { LIMITS } from '@tidings/contracts';
import type { Sql } from '../database.ts';
import type { Merge } from './identity-plan.ts';

/** How many serviceUserIds Client keys have joined to each of the persons, counted up to the limit. @callers db */
export async function countJoinedByClients(sql: Sql, userIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (userIds.length === 0) return new Map();
  const { rows } = await sql.query<{ id: string; joined: number }>(
    `select w.id, (select count(*)::int from (
       select from user_identities where user_id = w.id and by_client_key
       union all
       select from users o join user_identities i on i.user_id = o.id where o.merged_into = w.id and i.by_client_key
       limit ${LIMITS.clientServiceUserIdsMax}) j) as joined
     from (select distinct unnest($1::uuid[]) as id) w`,
    [userIds],
  );
  return new Map(rows.map((row) => [row.id, row.joined]));
}

/**
 * Whether persons have room for what Client keys merge into them. Exact while the caller has the persons locked: what
 * another transaction joined since the merges were planned counts. @callers db
 */
export async function haveRoomFor(sql: Sql, merges: readonly Merge[]): Promise<boolean> {
  const byPerson = Map.groupBy(merges.filter(({ isByClient }) => isByClient), ({ userId }) => userId);
  const joined = await countJoinedByClients(sql, [...byPerson.keys()]);
  return [...byPerson].every(([userId, own]) => (joined.get(userId) ?? 0) + own.length <= LIMITS.clientServiceUserIdsMax);
}

/** Marks the serviceUserIds of anonymous users that Client keys merged into persons. @callers db */
export async function markJoinedByClients(sql: Sql, merges: readonly Merge[]): Promise<void> {
  const anonymousIds = merges.filter(({ isByClient }) => isByClient).map(({ anonymousId }) => anonymousId);
  if (anonymousIds.length === 0) return;
  await sql.query('update user_identities set by_client_key = true where user_id = any($1)', [anonymousIds]);
}
