import type { ProfileUpdate } from '@tidings/contracts/ingest/ingest';
import type { KeyType } from '@tidings/contracts/ingest/records';
import type { Sql } from '@tidings/postgres/database';
import type { PersonChange } from '@tidings/user-changes/person-changes';
import type { IngestSettings } from './application-settings.ts';
import { lockUsers, writeProfiles, type LockedUsers, type ProfileRow } from './locked-users.ts';
import {
  effectiveClientTime,
  effectiveTime,
  emptyProfile,
  mergeProfile,
  type SkipReason,
  type StampedUpdate,
} from './profile-merge.ts';

/** One accepted `user` message of a resolved user. */
export type UserUpdate = {
  readonly userId: string;
  readonly receivedAt: number;
  readonly keyType: KeyType;
  /** The key or the device proves that the message is the user's. */
  readonly isProved: boolean;
  readonly messageId: string;
  readonly time: number | bigint;
  readonly update: ProfileUpdate;
  /** A message with a customUserId registers its user. */
  readonly registers: boolean;
};

export type UpdatedUsers = {
  /** For each update null, or why one of its fields was skipped. */
  readonly skipped: readonly (SkipReason | null)[];
  /** The persons with a new profile who are registered now. */
  readonly persons: readonly PersonChange[];
};

/**
 * Merges the updates into their users and registers them, with one write per user. Updates of an
 * anonymous user that was merged meanwhile go to the person.
 * @callers users-consumer
 */
export async function applyUserUpdates(
  sql: Sql,
  updates: readonly UserUpdate[],
): Promise<UpdatedUsers> {
  if (updates.length === 0) return { skipped: [], persons: [] };
  const locked = await lockUsers(
    sql,
    updates.map((update) => update.userId),
  );
  const groups = Map.groupBy(updates, ({ userId }) => locked.mergedInto.get(userId) ?? userId);

  const reasons = new Map<UserUpdate, SkipReason | null>();
  const rows = [...groups].map(([id, group]): ProfileRow => {
    const settings = locked.settingsOf(id);
    const { profile, skipped } = mergeProfile(
      locked.profiles.get(id) ?? emptyProfile(),
      group.map((update) => stampUpdate(update, settings)),
    );
    for (const [position, update] of group.entries())
      reasons.set(update, skipped[position] ?? null);
    const registeredAt = group
      .filter((update) => update.registers)
      .map((update) => update.receivedAt);
    return {
      id,
      profile,
      registeredAt: registeredAt.length === 0 ? null : Math.min(...registeredAt),
    };
  });
  await writeProfiles(sql, locked, rows);
  return {
    skipped: updates.map((update) => reasons.get(update) ?? null),
    persons: rows.flatMap((row) => toPersonChange(locked, row)),
  };
}

function toPersonChange(
  { registered, applicationOf }: LockedUsers,
  { id, registeredAt }: ProfileRow,
): PersonChange[] {
  const wasRegistered = registered.has(id);
  const hasRegistered = !wasRegistered && registeredAt !== null;
  return wasRegistered || hasRegistered
    ? [{ applicationId: applicationOf(id), userId: id, hasRegistered }]
    : [];
}

type Sent = Pick<
  UserUpdate,
  'update' | 'time' | 'receivedAt' | 'messageId' | 'keyType' | 'isProved' | 'registers'
>;

/**
 * Gives an update its stamp. A proof outranks the time. An unproved Client key is public: it cannot
 * set contacts of a user named by customUserId, nor replace values of a Server key or a proved
 * device.
 */
export function stampUpdate(
  { update, time, receivedAt, messageId, keyType, isProved, registers }: Sent,
  { clientKeysChangeContacts = false }: IngestSettings,
): StampedUpdate {
  const isOfClient = keyType === 'client';
  const at = isOfClient ? effectiveClientTime(time, receivedAt) : effectiveTime(time, receivedAt);
  if (!isOfClient || isProved || clientKeysChangeContacts)
    return { update, stamp: [at, messageId] };
  return { update, stamp: [at, messageId, 'client'], ignoresContacts: registers };
}
