import type { ProfileUpdate } from '@tidings/contracts';
import type { Sql } from '../database.ts';
import { lockUsers, writeProfiles, type ProfileRow } from './locked-users.ts';
import { effectiveTime, emptyProfile, mergeProfile } from './profile-merge.ts';

/** One accepted `user` message of a resolved user. */
export type UserUpdate = {
  readonly userId: string;
  readonly receivedAt: number;
  readonly messageId: string;
  readonly time: number | bigint;
  readonly update: ProfileUpdate;
  /** A message with a customUserId registers its user. */
  readonly registers: boolean;
};

/**
 * Merges the updates into their users, one write per user, and registers them; those of an anonymous user that was
 * merged meanwhile go to the person. The answer tells for each update whether a newer value already stood in one of
 * its fields. @callers users-consumer
 */
export async function applyUserUpdates(sql: Sql, updates: readonly UserUpdate[]): Promise<readonly { readonly isStale: boolean }[]> {
  if (updates.length === 0) return [];
  const { profiles, pointers } = await lockUsers(sql, updates.map((update) => update.userId));
  const groups = Map.groupBy(updates, ({ userId }) => pointers.get(userId) ?? userId);

  const staleUpdates = new Set<UserUpdate>();
  const rows = [...groups].map(([id, group]): ProfileRow => {
    const stamped = group.map(({ update, time, receivedAt, messageId }) => ({
      update,
      stamp: [effectiveTime(time, receivedAt), messageId] as const,
    }));
    const { profile, stale } = mergeProfile(profiles.get(id) ?? emptyProfile(), stamped);
    for (const [position, update] of group.entries()) if (stale[position]) staleUpdates.add(update);
    const registeredAt = group.filter((update) => update.registers).map((update) => update.receivedAt);
    return { id, profile, registeredAt: registeredAt.length === 0 ? null : Math.min(...registeredAt) };
  });
  await writeProfiles(sql, rows);
  return updates.map((update) => ({ isStale: staleUpdates.has(update) }));
}
