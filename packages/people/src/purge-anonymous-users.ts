import type { Database, Sql } from '@tidings/postgres/database';
import { forceIndexJoins } from '@tidings/postgres/force-index-joins';
import { statementsIn } from '@tidings/postgres/statements';
import { lockIdentities } from './deleted-identities.ts';

const statement = statementsIn(import.meta.dirname);

/**
 * Users who never registered, were not merged into a person, and were not written since `before`.
 */
export type AnonymousUsers = {
  readonly applicationId: string;
  readonly userIds: readonly string[];
};

/**
 * Up to `limit` anonymous users not written since `before`, the longest idle first, grouped by
 * application.
 */
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
 * Deletes anonymous users with their ids, and returns how many. Keeps users with a held event or a
 * device, and sets their `updated_at` to `now`: they are checked again after the same time. A
 * deleted user who returns gets a new id.
 * @callers scheduler
 */
export async function purgeAnonymousUsers(
  sql: Sql,
  { applicationId, userIds }: AnonymousUsers,
  { before, now }: { readonly before: Date; readonly now: Date },
): Promise<number> {
  await forceIndexJoins(sql);
  // Waits for a consumer that has just resolved one of them, so that its event is visible here.
  await lockIdentities(sql, applicationId);
  const { rows } = await sql.query<{ gone: number }>(statement('purge-anonymous-users'), [
    userIds,
    before,
    now,
  ]);
  return rows[0]?.gone ?? 0;
}
