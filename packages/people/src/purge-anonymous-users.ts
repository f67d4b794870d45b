import type { Database, Sql } from '@tidings/postgres/database';
import { forceIndexJoins } from '@tidings/postgres/force-index-joins';
import { statementsIn } from '@tidings/postgres/statements';
import { lockIdentities } from './deleted-identities.ts';

const statement = statementsIn(import.meta.dirname);

/** Users who have never registered and are nobody's past, of whom nothing was written since `before`. */
export type AnonymousUsers = {
  readonly applicationId: string;
  readonly userIds: readonly string[];
};

/** Up to `limit` of them, those of whom nothing was heard for the longest time, by application. */
export async function findStaleAnonymousUsers(
  db: Database,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<AnonymousUsers[]> {
  const { rows } = await db.sql.query<{ id: string; application_id: string }>(
    statement('find-stale-anonymous-users'),
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
export async function purgeAnonymousUsers(
  sql: Sql,
  { applicationId, userIds }: AnonymousUsers,
  { before, now }: { readonly before: Date; readonly now: Date },
): Promise<number> {
  await forceIndexJoins(sql);
  // A consumer that has just recognised one of them is waited for, and its event is seen.
  await lockIdentities(sql, applicationId);
  const { rows } = await sql.query<{ gone: number }>(statement('purge-anonymous-users'), [
    userIds,
    before,
    now,
  ]);
  return rows[0]?.gone ?? 0;
}
