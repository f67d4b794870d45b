import { readUserIds } from '@tidings/people/user-ids';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import type { UserFilter } from './log-entry.ts';

const statement = statementsIn(import.meta.dirname);

/** Reads the filter for a customUserId. Dead letters are found by the key of their record. */
export async function readUserFilter(
  sql: Sql,
  applicationId: string,
  customUserId: string,
): Promise<UserFilter> {
  const userIds = await readUserIds(sql, applicationId, customUserId);
  const { rows: deadLetters } = await sql.query<{ request_id: string }>(
    statement('find-dead-letter-requests'),
    [applicationId, Buffer.from(`${applicationId}:${customUserId}`)],
  );
  const { rows: identities } = await sql.query<{ id: string }>(statement('read-service-user-ids'), [
    userIds,
  ]);
  return {
    userIds,
    deadRequestIds: deadLetters.map((row) => row.request_id),
    profileMessages: await readProfileMessages(sql, applicationId, userIds),
    customUserId,
    serviceUserIds: identities.map(({ id }) => id),
  };
}

/** Uses the stamps of the profile, which name the message that set each field. */
async function readProfileMessages(
  sql: Sql,
  applicationId: string,
  userIds: readonly string[],
): Promise<UserFilter['profileMessages']> {
  const { rows } = await sql.query<{ request_id: string; message_index: number }>(
    statement('read-profile-messages'),
    [applicationId, userIds],
  );
  return rows.map((row) => ({ requestId: row.request_id, index: row.message_index }));
}

/** Whether any message can match. */
export const mayMatchMessages = ({ userIds, deadRequestIds }: UserFilter): boolean =>
  userIds.length + deadRequestIds.length > 0;

/** The four parameters of the part `is-of-user`; nulls match all users. */
export const userFilterParameters = (
  userFilter: UserFilter | undefined,
): readonly (readonly (string | number)[] | null)[] =>
  userFilter === undefined
    ? [null, null, null, null]
    : [
        userFilter.userIds,
        userFilter.deadRequestIds,
        userFilter.profileMessages.map(({ requestId }) => requestId),
        userFilter.profileMessages.map(({ index }) => index),
      ];
