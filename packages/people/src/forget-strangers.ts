import type { Database, Sql } from '@tidings/postgres/database';
import { joinByIndex } from '@tidings/postgres/join-by-index';
import { lockIdentities } from './deleted-identities.ts';

/** Users who have never registered and are nobody's past, of whom nothing was written since `before`. */
export type Strangers = { readonly applicationId: string; readonly userIds: readonly string[] };

/** Up to `limit` of them, those of whom nothing was heard for the longest time, by application. */
export async function findStrangers(
  db: Database,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<Strangers[]> {
  const { rows } = await db.sql.query<{ id: string; application_id: string }>(
    `select id, application_id from users
     where registered_at is null and merged_into is null and updated_at < $1 order by updated_at limit $2`,
    [before, limit],
  );
  return [...Map.groupBy(rows, (row) => row.application_id)].map(([applicationId, own]) => ({
    applicationId,
    userIds: own.map(({ id }) => id),
  }));
}

/**
 * Deletes strangers with their ids, unless an event of theirs is still held or they have a device: those count as heard of now, and are looked
 * at again when as much time has passed. How many are gone. They may come again, as new users. @callers scheduler
 */
export async function forgetStrangers(
  sql: Sql,
  { applicationId, userIds }: Strangers,
  { before, now }: { readonly before: Date; readonly now: Date },
): Promise<number> {
  await joinByIndex(sql);
  // A consumer that has just recognised one of them is waited for, and its event is seen.
  await lockIdentities(sql, applicationId);
  const { rows } = await sql.query<{ gone: number }>(
    `with due as (
       select u.id, exists (select from events e where e.user_id = u.id) or exists (select from devices d where d.user_id = u.id) as is_active from users u
       where u.id = any($1) and u.registered_at is null and u.merged_into is null and u.updated_at < $2),
     kept as (update users u set updated_at = $3 from due d where u.id = d.id and d.is_active),
     gone as (delete from users u using due d where u.id = d.id and not d.is_active returning u.id),
     nameless as (delete from user_identities i using gone g where i.user_id = g.id)
     select count(*)::int as gone from gone`,
    [userIds, before, now],
  );
  return rows[0]?.gone ?? 0;
}
