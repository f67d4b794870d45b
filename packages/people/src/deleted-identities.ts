import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import type { Sql } from '@tidings/postgres/database';
import { definePrepared, definePreparedByKeys } from '@tidings/postgres/define-prepared';
import type { DueRows } from '@tidings/postgres/due-rows';
import { statementsIn } from '@tidings/postgres/statements';
import { createHash } from 'node:crypto';

const statement = statementsIn(import.meta.dirname);

const LOCK_SHARED = definePrepared(statement('lock-identities-shared'));
const READ_DELETED = definePreparedByKeys(statement('read-deleted-identities'));

/** Tombstones of deleted users, for the retention job. */
export const DUE_DELETED_IDENTITIES: DueRows = {
  table: 'deleted_identities',
  time: 'deleted_at',
  where: 'true',
};

/** An id of a user, as stored (hashed) in a tombstone. */
export type UserId = { readonly kind: 'customUserId' | 'serviceUserId'; readonly id: string };

/** The ids and the time that decide whether a record belongs to a deleted user. */
type Identified = Pick<
  IngestRecord,
  'applicationId' | 'receivedAt' | 'customUserId' | 'serviceUserId'
>;

/** Namespace of these advisory locks; any number that no other lock uses. */
const LOCK_SEED = 4_157_001;

/**
 * Keeps users of the records' applications from being deleted until the transaction ends. The
 * returned predicate says whether a record was accepted before its user was deleted.
 *
 * The lock is shared among consumers, one per application: locking each user would cost a write per
 * user. Locks are taken in a fixed order, before any lock that another consumer may wait for.
 */
export async function shareIdentities<T extends Identified>(
  sql: Sql,
  records: readonly T[],
): Promise<(record: T) => boolean> {
  const wanted = records.flatMap((record) =>
    listIds(record).map((id) => ({ record, hash: hashId(id) })),
  );
  if (wanted.length === 0) return () => false;
  const applicationIds = [...new Set(wanted.map(({ record }) => record.applicationId))].sort();
  await sql.query(LOCK_SHARED, [applicationIds, LOCK_SEED]);
  // A separate statement: the snapshot of the one that waits for the lock would not include what
  // the lock's holder committed.
  const { rows } = await sql.query<{ application_id: string; hash: string; deleted_at_ms: number }>(
    READ_DELETED,
    [wanted.map(({ record }) => record.applicationId), wanted.map(({ hash }) => hash)],
  );
  if (rows.length === 0) return () => false;

  const deletedAt = new Map(
    rows.map((row) => [`${row.application_id}:${row.hash}`, row.deleted_at_ms]),
  );
  const deleted = new Set(
    wanted
      .filter(
        ({ record, hash }) =>
          (deletedAt.get(`${record.applicationId}:${hash}`) ?? -Infinity) >= record.receivedAt,
      )
      .map(({ record }) => record),
  );
  return (record) => deleted.has(record);
}

/**
 * Waits until no consumer applies records of the application, and blocks consumers until the
 * transaction ends.
 */
export async function lockIdentities(sql: Sql, applicationId: string): Promise<void> {
  await sql.query(statement('lock-identities'), [applicationId, LOCK_SEED]);
}

/**
 * Stores tombstones for the ids of a deleted user: consumers drop records accepted at `deletedAt`
 * or before.
 *
 * Take `deletedAt` from the service's clock, like `receivedAt` of a record, never from Postgres:
 * one clock must decide the order. Take it while holding the lock, so that every record applied
 * before has been deleted.
 * @callers user-data
 */
export async function recordDeletedIdentities(
  sql: Sql,
  {
    applicationId,
    deletedAt,
    ids,
  }: {
    readonly applicationId: string;
    readonly deletedAt: number;
    readonly ids: readonly UserId[];
  },
): Promise<void> {
  await sql.query(statement('insert-deleted-identities'), [
    applicationId,
    ids.map(hashId),
    deletedAt,
  ]);
}

function listIds({ customUserId, serviceUserId }: Identified): UserId[] {
  return [
    ...(customUserId === null ? [] : [{ kind: 'customUserId', id: customUserId } as const]),
    ...(serviceUserId === null ? [] : [{ kind: 'serviceUserId', id: serviceUserId } as const]),
  ];
}

function hashId({ kind, id }: UserId): string {
  return createHash('sha256').update(`${kind}:${id}`).digest('hex');
}
