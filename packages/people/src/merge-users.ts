import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import type { Merge } from './identity-plan.ts';
import { fitJoinLimit, markJoinedByClients } from './joined-by-clients.ts';
import { lockUsers, writeProfiles } from './locked-users.ts';
import { emptyProfile, joinProfiles } from './profile-merge.ts';

const statement = statementsIn(import.meta.dirname);

/**
 * Merges anonymous users into persons: each row points at its person, whose profile takes over the
 * values. Events stay where they are.
 *
 * False when another transaction merged one of the users meanwhile, or joined ids so that the
 *
 * limit of a person would be exceeded.
 * @callers people
 */
export async function mergeAnonymousUsers(sql: Sql, merges: readonly Merge[]): Promise<boolean> {
  if (merges.length === 0) return true;
  const locked = await lockUsers(
    sql,
    merges.flatMap(({ anonymousId, userId }) => [anonymousId, userId]),
  );
  const { profiles, mergedInto } = locked;
  if (
    merges.some(({ anonymousId }) => mergedInto.has(anonymousId)) ||
    !(await fitJoinLimit(sql, merges))
  )
    return false;

  const profileOf = (id: string) => profiles.get(id) ?? emptyProfile();
  const persons = Map.groupBy(merges, ({ userId }) => userId);
  const rows = [...persons].map(([id, own]) => ({
    id,
    profile: own.reduce(
      (profile, { anonymousId }) => joinProfiles(profile, profileOf(anonymousId)),
      profileOf(id),
    ),
    registeredAt: null,
  }));
  await writeProfiles(sql, locked, rows);
  await sql.query(statement('merge-anonymous-users'), [
    merges.map(({ anonymousId }) => anonymousId),
    merges.map(({ userId }) => userId),
  ]);
  await markJoinedByClients(sql, merges);
  return true;
}
