import type { Sql } from '../database.ts';
import { readUserIds } from '../timeline/user-ids.ts';
import type { Whose } from './log-entry.ts';

/** By what the log finds a customUserId. Letters are found by the key of their record. */
export async function readWhose(sql: Sql, applicationId: string, customUserId: string): Promise<Whose> {
  const userIds = await readUserIds(sql, applicationId, customUserId);
  const { rows: letters } = await sql.query<{ request_id: string }>(
    'select distinct request_id from dead_letters where application_id = $1 and record_key = $2 and request_id is not null limit 1000',
    [applicationId, Buffer.from(`${applicationId}:${customUserId}`)],
  );
  const { rows: identities } = await sql.query<{ id: string }>('select service_user_id as id from user_identities where user_id = any($1) limit 1000', [userIds]);
  return { userIds, unreadRequestIds: letters.map((row) => row.request_id), customUserId, serviceUserIds: identities.map(({ id }) => id) };
}

/** Whether any message can be somebody's. */
export const hasMessages = ({ userIds, unreadRequestIds }: Whose): boolean => userIds.length + unreadRequestIds.length > 0;

/** SQL: whether a message `m` is of somebody, by two parameters; of anybody where they are null. */
export const isWhose = (userIds: string, unreadRequestIds: string): string =>
  `(${userIds}::uuid[] is null or m.user_id = any(${userIds}::uuid[]) or m.request_id = any(${unreadRequestIds}::uuid[]))`;
