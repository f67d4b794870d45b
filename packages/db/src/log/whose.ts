import type { Sql } from '../database.ts';
import { readUserIds } from '../timeline/user-ids.ts';
import type { Whose } from './log-entry.ts';

/** What the log has of a customUserId; null where it has nothing. Letters are found by the key of their record. */
export async function readWhose(sql: Sql, applicationId: string, customUserId: string): Promise<Whose | null> {
  const userIds = await readUserIds(sql, applicationId, customUserId);
  const { rows } = await sql.query<{ request_id: string }>('select distinct request_id from dead_letters where application_id = $1 and record_key = $2 and request_id is not null limit 1000', [
    applicationId,
    Buffer.from(`${applicationId}:${customUserId}`),
  ]);
  return userIds.length + rows.length === 0 ? null : { userIds, unreadRequestIds: rows.map((row) => row.request_id) };
}

/** SQL: whether a message `m` is of somebody, by two parameters; of anybody where they are null. */
export const isWhose = (userIds: string, unreadRequestIds: string): string =>
  `(${userIds}::uuid[] is null or m.user_id = any(${userIds}::uuid[]) or m.request_id = any(${unreadRequestIds}::uuid[]))`;
