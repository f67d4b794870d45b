import { recordDeletedIdentities, type UserId } from '@tidings/people/deleted-identities';
import { proves } from '@tidings/people/devices/proofs';
import type { Sql } from '@tidings/postgres/database';

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
  }>(
    `select u.id, array(select service_user_id::text from user_identities where user_id = u.id) as service_user_ids,
            array[u.fields ->> 'email', u.fields ->> 'phoneNumber', u.phone_e164]
              || array(select address from devices v where v.user_id = u.id or (${proves('v', 'u.id')})) as addresses
     from users p join users u on u.id = p.id or u.merged_into = p.id
     where p.application_id = $1 and p.custom_user_id = $2 order by u.id`,
    [applicationId, customUserId],
  );
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
  await sql.query(
    `delete from dead_letters where application_id = $1
       and (record_key = any($2) or request_id in (select request_id from events where user_id = any($3)))`,
    [
      applicationId,
      [customUserId, ...serviceUserIds].map((id) => Buffer.from(`${applicationId}:${id}`)),
      userIds,
    ],
  );
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
    `with due as (
       select request_id, message_index, received_at, user_id from events where user_id = any($1) limit $2 for update ${waits ? '' : 'skip locked'}),
     gone as (
       delete from events e using due d
       where e.request_id = d.request_id and e.message_index = d.message_index and e.received_at = d.received_at
       returning e.request_id, e.message_index, e.received_at, e.user_id),
     visible as (
       select u.id from users u left join users root on root.id = u.merged_into
       where u.id = any($1) and coalesce(root.registered_at, u.registered_at) is not null),
     unnamed as (
       update receipts r set user_id = null,
              outcome = case when g.is_visible then r.outcome else 'dropped' end,
              reason = case when g.is_visible then r.reason else 'unregistered_user' end
       from (select gone.*, exists (select from visible where id = gone.user_id) as is_visible from gone) g
       where r.request_id = g.request_id and r.message_index = g.message_index and r.received_at = g.received_at)
     select count(*)::int as deleted from gone`,
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
    `select lag(ends) over (order by ends) as starts, ends from partitions_of('receipts') order by ends`,
  );
  for (const { starts, ends } of rows) {
    await sql.query(
      `update receipts set user_id = null
       where application_id = $1 and reason is not null and user_id = any($2) and ($3::timestamptz is null or received_at >= $3::timestamptz) and received_at < $4`,
      [applicationId, userIds, starts, ends],
    );
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
    `with due as (
       select application_id, message_id, origin from message_keys where application_id = $1 and service_user_id = any($2) limit $3
       for update ${waits ? '' : 'skip locked'})
     update message_keys k set service_user_id = null, time = null
     from due d where k.application_id = d.application_id and k.message_id = d.message_id and k.origin = d.origin`,
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
    `with due as (
       select request_id from refused_requests where application_id = $1 and (custom_user_id = $2 or service_user_id = any($3)) limit $4
       for update ${waits ? '' : 'skip locked'})
     update refused_requests r set custom_user_id = null, service_user_id = null from due d where r.request_id = d.request_id`,
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
  await sql.query('delete from user_identities where user_id = any($1)', [userIds]);
  await sql.query('delete from users where id = any($1)', [userIds]);
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
  const { rows } = await sql.query<{ has_more: boolean }>(
    `select (select count(*) from (select from events where user_id = any($1) limit $4 + 1) e) > $4
         or (select count(*) from (select from message_keys where application_id = $2 and service_user_id = any($3) limit $4 + 1) k) > $4
         or (select count(*) from (select from refused_requests where application_id = $2 and (custom_user_id = $5 or service_user_id = any($3)) limit $4 + 1) f) > $4 as has_more`,
    [userIds, applicationId, serviceUserIds, limit, customUserId],
  );
  return rows[0]?.has_more === true;
}
