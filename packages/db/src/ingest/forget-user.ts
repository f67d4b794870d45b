import type { Sql } from '../database.ts';
import { buryIdentities, type UserId } from './deleted-identities.ts';

/** A user with the anonymous ones it turned out to be. */
export type Person = {
  readonly applicationId: string;
  readonly customUserId: string;
  readonly serviceUserIds: readonly string[];
  readonly userIds: readonly string[];
  /** Where they are reached, as their profiles say. */
  readonly addresses: readonly string[];
};

/** Everybody behind a customUserId, registered or not; without any user where nobody has it. */
export async function findPerson(sql: Sql, applicationId: string, customUserId: string): Promise<Person> {
  const { rows } = await sql.query<{ id: string; service_user_ids: string[]; addresses: (string | null)[] }>(
    `select u.id, array(select service_user_id::text from user_identities where user_id = u.id) as service_user_ids,
            array[u.fields ->> 'email', u.fields ->> 'phoneNumber', u.phone_e164] as addresses
     from users p join users u on u.id = p.id or u.merged_into = p.id
     where p.application_id = $1 and p.custom_user_id = $2 order by u.id`,
    [applicationId, customUserId],
  );
  return {
    applicationId,
    customUserId,
    serviceUserIds: rows.flatMap((row) => row.service_user_ids),
    userIds: rows.map((row) => row.id),
    addresses: [...new Set(rows.flatMap((row) => row.addresses).filter((address) => address !== null))],
  };
}

/** Deletes the letters of the person's records. Not under `lockIdentities`: a replay locks its letter first. @callers db */
export async function forgetDeadLetters(sql: Sql, { applicationId, customUserId, serviceUserIds, userIds }: Person): Promise<void> {
  await sql.query(
    `delete from dead_letters where application_id = $1
       and (record_key = any($2) or request_id in (select request_id from events where user_id = any($3)))`,
    [applicationId, [customUserId, ...serviceUserIds].map((id) => Buffer.from(`${applicationId}:${id}`)), userIds],
  );
}

/**
 * Deletes events of users, whether visible or held; how many those were. Their receipts stay and name nobody. With a
 * limit it leaves those that somebody else is deleting, and so waits for nobody. @callers db
 */
export async function forgetEvents(sql: Sql, userIds: readonly string[], limit: number | null): Promise<number> {
  const { rows } = await sql.query<{ deleted: number }>(
    `with due as (select request_id, message_index, received_at from events where user_id = any($1) limit $2 for update ${limit === null ? '' : 'skip locked'}),
     gone as (
       delete from events e using due d
       where e.request_id = d.request_id and e.message_index = d.message_index and e.received_at = d.received_at
       returning e.request_id, e.message_index, e.received_at),
     unnamed as (
       update receipts r set user_id = null from gone g
       where r.request_id = g.request_id and r.message_index = g.message_index and r.received_at = g.received_at)
     select count(*)::int as deleted from gone`,
    [userIds, limit],
  );
  return rows[0]?.deleted ?? 0;
}

/**
 * Deletes a person with all ids and events, whether visible or held; what remains of their messages are receipts that
 * name nobody, and message ids, so that a repetition is still found. Ids that come again in a record accepted before
 * now bring nobody back. The caller holds `lockIdentities`. @callers db
 */
export async function forgetPerson(sql: Sql, { applicationId, customUserId, serviceUserIds, userIds }: Person): Promise<void> {
  await sql.query('delete from user_identities where user_id = any($1)', [userIds]);
  await forgetEvents(sql, userIds, null);
  await sql.query('update message_keys set service_user_id = null, time = null where application_id = $1 and service_user_id = any($2)', [
    applicationId,
    serviceUserIds,
  ]);
  await sql.query('delete from users where id = any($1)', [userIds]);
  await buryIdentities(sql, applicationId, [
    { kind: 'customUserId', id: customUserId },
    ...serviceUserIds.map((id): UserId => ({ kind: 'serviceUserId', id })),
  ]);
}
