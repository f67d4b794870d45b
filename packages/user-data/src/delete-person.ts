import { recordDeletedIdentities, type UserId } from '@tidings/people/deleted-identities';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** A person: the user with a customUserId, and the anonymous users merged into it. */
export type Person = {
  readonly applicationId: string;
  readonly customUserId: string;
  readonly serviceUserIds: readonly string[];
  readonly userIds: readonly string[];
  /** Addresses in their profiles and devices. */
  readonly addresses: readonly string[];
};

/** `limit`: rows of a step. `waits`: whether to wait for locked rows or skip them. */
type StepOptions = { readonly limit: number; readonly waits: boolean };

/** All users of a customUserId, registered or not. `userIds` is empty when there is none. */
export async function findPerson(
  sql: Sql,
  applicationId: string,
  customUserId: string,
): Promise<Person> {
  const { rows } = await sql.query<{
    id: string;
    service_user_ids: string[];
    addresses: (string | null)[];
  }>(statement('find-person'), [applicationId, customUserId]);
  return {
    applicationId,
    customUserId,
    serviceUserIds: rows.flatMap((row) => row.service_user_ids),
    userIds: rows.map((row) => row.id),
    addresses: [
      ...new Set(rows.flatMap((row) => row.addresses).filter((address) => address !== null)),
    ],
  };
}

/**
 * Deletes the dead letters of the person's records. Do not call it while holding `lockIdentities`:
 * a replay locks its dead letter first.
 * @callers user-data
 */
export async function deleteDeadLetters(
  sql: Sql,
  { applicationId, customUserId, serviceUserIds, userIds }: Person,
): Promise<void> {
  await sql.query(statement('delete-person-dead-letters'), [
    applicationId,
    [customUserId, ...serviceUserIds].map((id) => Buffer.from(`${applicationId}:${id}`)),
    userIds,
  ]);
}

/**
 * Deletes up to `limit` events of users, visible or held, and returns how many. Their receipts stay
 * without the user id; the trigger `leave_receipts` writes derived ones. Receipts of held events
 * become `dropped`, because the user can no longer register. Unless `waits`, it skips events that
 * another transaction is deleting.
 * @callers user-data
 */
export async function deleteEvents(
  sql: Sql,
  userIds: readonly string[],
  { limit, waits }: StepOptions,
): Promise<number> {
  const { rows } = await sql.query<{ deleted: number }>(
    waits ? statement('delete-person-events') : statement('delete-free-person-events'),
    [userIds, limit],
  );
  return rows[0]?.deleted ?? 0;
}

/**
 * Removes users from receipts that have a reason, found by an index one partition at a time.
 * Receipts of stored events were handled by `deleteEvents`. Call it once no new receipt can name
 * the users.
 * @callers user-data
 */
export async function anonymizeReceipts(
  sql: Sql,
  { applicationId, userIds }: Pick<Person, 'applicationId' | 'userIds'>,
): Promise<void> {
  const { rows } = await sql.query<{ starts: Date | null; ends: Date }>(
    statement('read-receipt-partitions'),
  );
  for (const { starts, ends } of rows) {
    await sql.query(statement('anonymize-receipts'), [applicationId, userIds, starts, ends]);
  }
}

/**
 * Removes serviceUserIds from up to `limit` message keys of the second duplicate rule that the
 * version before stored. Returns how many. Later keys are hashes and name no user.
 * @callers user-data
 */
export async function anonymizeMessageKeys(
  sql: Sql,
  { applicationId, serviceUserIds }: Person,
  { limit, waits }: StepOptions,
): Promise<number> {
  const { rowCount } = await sql.query(
    waits ? statement('anonymize-message-keys') : statement('anonymize-free-message-keys'),
    [applicationId, serviceUserIds, limit],
  );
  return rowCount ?? 0;
}

/**
 * Removes the person from up to `limit` rejected requests that named one of the ids. Returns how
 * many.
 * @callers user-data
 */
export async function anonymizeRejectedRequests(
  sql: Sql,
  { applicationId, customUserId, serviceUserIds }: Person,
  { limit, waits }: StepOptions,
): Promise<number> {
  const { rowCount } = await sql.query(
    waits
      ? statement('anonymize-rejected-requests')
      : statement('anonymize-free-rejected-requests'),
    [applicationId, customUserId, serviceUserIds, limit],
  );
  return rowCount ?? 0;
}

/**
 * Deletes a person with all ids. What stays: receipts without a user, and message ids, so that
 * repeated messages are still detected. Ids in a record accepted before `deletedAt` do not recreate
 * the user.
 *
 * If more than `limit` events, message keys or rejected requests are left, it changes nothing and
 * returns false: the application's records wait meanwhile. The caller must hold `lockIdentities`.
 * @callers user-data
 */
export async function deletePerson(
  sql: Sql,
  person: Person,
  { deletedAt, limit }: { readonly deletedAt: number; readonly limit: number },
): Promise<boolean> {
  const { applicationId, customUserId, serviceUserIds, userIds } = person;
  if (await hasMoreThan(sql, person, limit)) return false;
  await deleteEvents(sql, userIds, { limit, waits: true });
  await anonymizeMessageKeys(sql, person, { limit, waits: true });
  await anonymizeRejectedRequests(sql, person, { limit, waits: true });
  await sql.query(statement('delete-person-identities'), [userIds]);
  await sql.query(statement('delete-person-users'), [userIds]);
  await recordDeletedIdentities(sql, {
    applicationId,
    deletedAt,
    ids: [
      { kind: 'customUserId', id: customUserId },
      ...serviceUserIds.map((id): UserId => ({ kind: 'serviceUserId', id })),
    ],
  });
  return true;
}

async function hasMoreThan(
  sql: Sql,
  { applicationId, customUserId, serviceUserIds, userIds }: Person,
  limit: number,
): Promise<boolean> {
  const { rows } = await sql.query<{ has_more: boolean }>(statement('person-has-more'), [
    userIds,
    applicationId,
    serviceUserIds,
    limit,
    customUserId,
  ]);
  return rows[0]?.has_more === true;
}
