import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { LIMITS } from '@tidings/contracts/limits';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import {
  identityKey,
  countsTowardsJoinLimit,
  type KnownIdentities,
  type Merge,
} from './identity-plan.ts';

const statement = statementsIn(import.meta.dirname);

type Joins = Pick<KnownIdentities, 'joinedByClients' | 'isProvedByDevice'>;

/**
 * Reads what decides whether records of Client keys with both ids are proved and may join the ids.
 * Most record batches need no query.
 */
export async function readClientJoins(
  sql: Sql,
  records: readonly IngestRecord[],
  { users, owners, isTrusted }: Omit<KnownIdentities, keyof Joins>,
): Promise<Joins> {
  const unjoined = records.filter(countsTowardsJoinLimit).flatMap((record) => {
    const { applicationId, customUserId, serviceUserId } = record;
    if (customUserId === null || serviceUserId === null) return [];
    const owner = owners.get(identityKey(applicationId, serviceUserId));
    const userId = users.get(identityKey(applicationId, customUserId))?.userId;
    return userId === undefined || owner?.isAnonymous === false
      ? []
      : [{ record, userId, anonymousId: owner?.userId }];
  });
  const isProvedByDevice = await readDeviceProofs(
    sql,
    unjoined.flatMap(({ anonymousId }) => anonymousId ?? []),
  );
  const mayBeJoined = unjoined.filter(
    ({ record, userId, anonymousId }) =>
      isTrusted(record) || (anonymousId !== undefined && isProvedByDevice(anonymousId, userId)),
  );
  return {
    joinedByClients: await countJoinedByClients(
      sql,
      mayBeJoined.map(({ userId }) => userId),
    ),
    isProvedByDevice,
  };
}

/** The persons that devices of the anonymous users prove. */
async function readDeviceProofs(
  sql: Sql,
  anonymousIds: readonly string[],
): Promise<Joins['isProvedByDevice']> {
  if (anonymousIds.length === 0) return () => false;
  const { rows } = await sql.query<{ user_id: string; proved_user_id: string }>(
    statement('read-device-proofs'),
    [anonymousIds],
  );
  const proofs = new Set(rows.map((row) => `${row.user_id}:${row.proved_user_id}`));
  return (anonymousId, userId) => proofs.has(`${anonymousId}:${userId}`);
}

/**
 * Per person, the number of serviceUserIds joined by Client keys without a user token, counted up
 * to the limit.
 */
async function countJoinedByClients(
  sql: Sql,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (userIds.length === 0) return new Map();
  const { rows } = await sql.query<{ id: string; joined: number }>(
    statement('count-joined-by-clients'),
    [userIds],
  );
  return new Map(rows.map((row) => [row.id, row.joined]));
}

/**
 * Whether the merges by Client keys stay within the limit of each person. Exact while the caller
 * has the persons locked: it includes ids joined since the merges were planned.
 * @callers people
 */
export async function fitJoinLimit(sql: Sql, merges: readonly Merge[]): Promise<boolean> {
  const byPerson = Map.groupBy(
    merges.filter(({ isByClient }) => isByClient),
    ({ userId }) => userId,
  );
  const joined = await countJoinedByClients(sql, [...byPerson.keys()]);
  return [...byPerson].every(
    ([userId, own]) => (joined.get(userId) ?? 0) + own.length <= LIMITS.clientServiceUserIdsMax,
  );
}

/** Marks the serviceUserIds of anonymous users that Client keys merged. @callers people */
export async function markJoinedByClients(sql: Sql, merges: readonly Merge[]): Promise<void> {
  const anonymousIds = merges
    .filter(({ isByClient }) => isByClient)
    .map(({ anonymousId }) => anonymousId);
  if (anonymousIds.length === 0) return;
  await sql.query(statement('mark-joined-by-clients'), [anonymousIds]);
}
