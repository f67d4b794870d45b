import type { Sql } from '../database.ts';
import { readIngestSettings, type IngestSettings } from './application-settings.ts';
import type { KeyClaim } from './message-keys.ts';
import type { MessageRef } from './record.ts';

/**
 * Each event with the serviceUserId that the second duplicate rule compares: the one that the caller sent, never one
 * that we resolved, unless the application extends the rule to users known by their customUserId alone. It then holds for
 * proved events: an unproved one of a page does not take a time that the back end's own event may have.
 * @callers events-consumer
 */
export async function userTimeClaims<
  T extends MessageRef & { readonly userId: string | null; readonly isProved: boolean },
>(sql: Sql, events: readonly T[]): Promise<(T & KeyClaim)[]> {
  const resolved = events.filter(
    ({ record, userId, isProved }) => record.serviceUserId === null && userId !== null && isProved,
  );
  const settingsOf =
    resolved.length === 0
      ? (): IngestSettings => ({})
      : await readIngestSettings(
          sql,
          resolved.map(({ record }) => record.applicationId),
        );
  const extended = resolved.filter(
    ({ record }) => settingsOf(record.applicationId).dedupeResolvedUsers,
  );
  const first = await firstServiceUserIds(
    sql,
    extended.flatMap(({ userId }) => userId ?? []),
  );
  const claimed = new Set<T>(extended);
  return events.map((event) => ({
    ...event,
    serviceUserId: claimed.has(event)
      ? (first.get(event.userId ?? '') ?? null)
      : event.record.serviceUserId,
  }));
}

/**
 * The serviceUserId that was assigned when the user was first seen: its own before those of the anonymous users it
 * turned out to be. Written down when it is first asked for, so that whoever joins later does not change it.
 */
async function firstServiceUserIds(
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
