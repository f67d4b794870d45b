import { readUserIds } from '@tidings/people/user-ids';
import type { Sql } from '@tidings/postgres/database';
import type { Whose } from './log-entry.ts';

/** By what the log finds a customUserId. Letters are found by the key of their record. */
export async function readWhose(
  sql: Sql,
  applicationId: string,
  customUserId: string,
): Promise<Whose> {
  const userIds = await readUserIds(sql, applicationId, customUserId);
  const { rows: letters } = await sql.query<{ request_id: string }>(
    'select distinct request_id from dead_letters where application_id = $1 and record_key = $2 and request_id is not null limit 1000',
    [applicationId, Buffer.from(`${applicationId}:${customUserId}`)],
  );
  const { rows: identities } = await sql.query<{ id: string }>(
    'select service_user_id as id from user_identities where user_id = any($1) limit 1000',
    [userIds],
  );
  return {
    userIds,
    unreadRequestIds: letters.map((row) => row.request_id),
    profileMessages: await readProfileMessages(sql, applicationId, userIds),
    customUserId,
    serviceUserIds: identities.map(({ id }) => id),
  };
}

/** By the stamps of the profile, which name the message that set each field. */
async function readProfileMessages(
  sql: Sql,
  applicationId: string,
  userIds: readonly string[],
): Promise<Whose['profileMessages']> {
  const { rows } = await sql.query<{ request_id: string; message_index: number }>(
    `with stamps as (
       select s.stamp from users u cross join lateral (
         select value as stamp from jsonb_each(u.clocks -> 'fields') union all select value from jsonb_each(u.clocks -> 'custom') union all select u.clocks -> 'customCleared') as s
       where u.id = any($2)),
     named as (
       select distinct stamp ->> 1 as message_id, coalesce(stamp ->> 2, 'server') as origin from stamps where stamp is not null limit 1000)
     select k.request_id, k.message_index from named cross join lateral (
       select request_id, message_index from message_keys where application_id = $1 and message_id = named.message_id
       order by origin = named.origin desc limit 1) as k`,
    [applicationId, userIds],
  );
  return rows.map((row) => ({ requestId: row.request_id, index: row.message_index }));
}

/** Whether any message can be somebody's. */
export const hasMessages = ({ userIds, unreadRequestIds }: Whose): boolean =>
  userIds.length + unreadRequestIds.length > 0;

/** The four parameters of {@link isWhose}; nulls for anybody. */
export const whoseParameters = (
  whose: Whose | undefined,
): readonly (readonly (string | number)[] | null)[] =>
  whose === undefined
    ? [null, null, null, null]
    : [
        whose.userIds,
        whose.unreadRequestIds,
        whose.profileMessages.map(({ requestId }) => requestId),
        whose.profileMessages.map(({ index }) => index),
      ];

/**
 * SQL: whether a message `m` is of somebody, by the parameters from `$first` on; of anybody where they are null. A `user`
 * message that was simply processed names nobody: it is known by what it has set, or by another message of its request,
 * all of which are of one user.
 */
export function isWhose(first: number): string {
  const [userIds, unreadRequestIds, requestIds, indexes] = [
    `$${first}::uuid[]`,
    `$${first + 1}::uuid[]`,
    `$${first + 2}::uuid[]`,
    `$${first + 3}::int[]`,
  ];
  return `(${userIds} is null or m.user_id = any(${userIds}) or m.request_id = any(${unreadRequestIds})
    or (m.type = 'user' and m.user_id is null
        and ((m.request_id, m.message_index) in (select * from unnest(${requestIds}, ${indexes}))
             or (select true from receipts o where o.request_id = m.request_id and o.received_at = m.received_at and o.user_id = any(${userIds}) limit 1))))`;
}
