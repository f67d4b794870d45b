import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { systemIds } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { definePrepared, definePreparedByKeys } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import {
  identityKey,
  type Claim,
  type EnsuredUser,
  type KnownIdentities,
  type Plan,
} from './identity-plan.ts';

const statement = statementsIn(import.meta.dirname);

const FIND_USERS = definePreparedByKeys(statement('find-users'));
const READ_OWNERS = definePreparedByKeys(statement('read-owners'));
const INSERT_USERS = definePrepared(statement('insert-users'));
const INSERT_IDENTITIES = definePrepared(statement('insert-identities'));
const INSERT_ANONYMOUS_USERS = definePrepared(statement('insert-anonymous-users'));

type CustomUserId = { readonly applicationId: string; readonly customUserId: string };

/** Finds or creates a user for every customUserId. @callers people */
export async function ensureUsers(
  sql: Sql,
  records: readonly IngestRecord[],
): Promise<ReadonlyMap<string, EnsuredUser>> {
  const wanted = new Map<string, CustomUserId>();
  for (const { applicationId, customUserId } of records) {
    if (customUserId !== null)
      wanted.set(identityKey(applicationId, customUserId), { applicationId, customUserId });
  }
  const missingFrom = (users: ReadonlyMap<string, EnsuredUser>): CustomUserId[] =>
    [...wanted]
      .filter(([key]) => !users.has(key))
      .sort(byKey)
      .map(([, id]) => id);

  const found = await findUsers(sql, [...wanted.values()]);
  const made = await insertUsers(sql, missingFrom(found));
  const users = new Map([...found, ...made]);
  // Created first by another transaction.
  const others = await findUsers(sql, missingFrom(users));
  for (const [key, user] of others) users.set(key, user);
  if (users.size < wanted.size) throw new Error('the user was deleted while it was looked up');
  return users;
}

/**
 * The existing users with these ids. Looks up each id in the index: a join makes Postgres scan the
 * whole table while it is of medium size.
 */
export async function findUsers(
  sql: Sql,
  wanted: readonly CustomUserId[],
): Promise<Map<string, EnsuredUser>> {
  if (wanted.length === 0) return new Map();
  const { rows } = await sql.query<{
    id: string;
    application_id: string;
    custom_user_id: string;
    is_registered: boolean;
  }>(FIND_USERS, [
    wanted.map(({ applicationId }) => applicationId),
    wanted.map(({ customUserId }) => customUserId),
  ]);
  return new Map(
    rows.map((row) => [
      identityKey(row.application_id, row.custom_user_id),
      { userId: row.id, isNew: false, isRegistered: row.is_registered },
    ]),
  );
}

async function insertUsers(
  sql: Sql,
  missing: readonly CustomUserId[],
): Promise<Map<string, EnsuredUser>> {
  if (missing.length === 0) return new Map();
  const { rows } = await sql.query<{ id: string; application_id: string; custom_user_id: string }>(
    INSERT_USERS,
    [
      missing.map(() => systemIds.uuid()),
      missing.map(({ applicationId }) => applicationId),
      missing.map(({ customUserId }) => customUserId),
    ],
  );
  return new Map(
    rows.map((row) => [
      identityKey(row.application_id, row.custom_user_id),
      { userId: row.id, isNew: true, isRegistered: false },
    ]),
  );
}

/** The users of the records' serviceUserIds. The id of a merged anonymous user names the person. */
export async function readOwners(
  sql: Sql,
  records: readonly IngestRecord[],
): Promise<KnownIdentities['owners']> {
  const wanted = records.filter((record) => record.serviceUserId !== null);
  if (wanted.length === 0) return new Map();
  const { rows } = await sql.query<{
    application_id: string;
    service_user_id: string;
    user_id: string;
    is_anonymous: boolean;
    is_registered: boolean;
  }>(READ_OWNERS, [
    wanted.map((record) => record.applicationId),
    wanted.map((record) => record.serviceUserId),
  ]);
  return new Map(
    rows.map((row) => [
      identityKey(row.application_id, row.service_user_id),
      { userId: row.user_id, isAnonymous: row.is_anonymous, isRegistered: row.is_registered },
    ]),
  );
}

/**
 * Assigns the serviceUserIds and creates the anonymous users. False when another transaction
 * assigned one of them first.
 * @callers people
 */
export async function insertClaims(sql: Sql, claims: readonly Claim[]): Promise<boolean> {
  if (claims.length === 0) return true;
  const ordered = claims
    .map((claim) => [identityKey(claim.applicationId, claim.serviceUserId), claim] as const)
    .sort(byKey)
    .map(([, claim]) => claim);
  const { rows } = await sql.query<{ user_id: string }>(INSERT_IDENTITIES, [
    ordered.map((claim) => claim.applicationId),
    ordered.map((claim) => claim.serviceUserId),
    ordered.map((claim) => claim.userId),
    ordered.map((claim) => claim.isByClient),
  ]);
  const won = new Set(rows.map((row) => row.user_id));
  const anonymous = ordered.filter((claim) => claim.isNewUser && won.has(claim.userId));
  if (anonymous.length > 0) {
    await sql.query(INSERT_ANONYMOUS_USERS, [
      anonymous.map((claim) => claim.userId),
      anonymous.map((claim) => claim.applicationId),
    ]);
  }
  return rows.length === ordered.length;
}

/**
 * Assigns a first serviceUserId to users that this transaction created without one.
 * @callers people
 */
export async function assignServiceUserIds(
  sql: Sql,
  users: Plan['withoutServiceUserId'],
): Promise<void> {
  if (users.length === 0) return;
  await sql.query(statement('assign-service-user-ids'), [
    users.map(({ applicationId }) => applicationId),
    users.map(() => systemIds.uuid()),
    users.map(({ userId }) => userId),
  ]);
}

/** Rows are written in key order, so that concurrent transactions cannot deadlock. */
function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
