import type { IngestRecord } from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';
import type { DueRows } from '@tidings/postgres/due-rows';
import { statementsIn } from '@tidings/postgres/statements';
import { createHash } from 'node:crypto';

const statement = statementsIn(import.meta.dirname);

/** What is kept of deleted users, for the retention. */
export const DUE_DELETED_IDENTITIES: DueRows = {
  table: 'deleted_identities',
  time: 'deleted_at',
  where: 'true',
};

/** An id of a user, as a tombstone keeps it. */
export type UserId = { readonly kind: 'customUserId' | 'serviceUserId'; readonly id: string };

/** What says of whom it is, and since when. */
type Identified = Pick<
  IngestRecord,
  'applicationId' | 'receivedAt' | 'customUserId' | 'serviceUserId'
>;

/** Any number; it tells our advisory locks from those of others. */
const LOCK_SEED = 4_157_001;

/**
 * Keeps the users of the records' applications from being deleted until the transaction ends, and tells of each record
 * whether it was accepted before its user was deleted. The lock is one per application and shared among consumers; to
 * lock each user would cost a write per user and transaction. Taken in order and before any lock that another
 * consumer may wait for.
 */
export async function shareIdentities<T extends Identified>(
  sql: Sql,
  records: readonly T[],
): Promise<(record: T) => boolean> {
  const wanted = records.flatMap((record) =>
    idsOf(record).map((id) => ({ record, hash: hashOf(id) })),
  );
  if (wanted.length === 0) return () => false;
  const applicationIds = [...new Set(wanted.map(({ record }) => record.applicationId))].sort();
  await sql.query(statement('lock-identities-shared'), [applicationIds, LOCK_SEED]);
  // A statement of its own: one that waited for the lock would not see what its holder has written.
  const { rows } = await sql.query<{ application_id: string; hash: string; deleted_at_ms: number }>(
    statement('read-deleted-identities'),
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

/** Waits until no consumer works at a record of the application and keeps them away until the transaction ends. */
export async function lockIdentities(sql: Sql, applicationId: string): Promise<void> {
  await sql.query(statement('lock-identities'), [applicationId, LOCK_SEED]);
}

/**
 * Marks ids as those of a deleted user: records accepted at that instant or before speak of nobody. The instant is of the
 * services' clocks, as `receivedAt` of a record is, and never of the database's: one clock decides what was first. It is
 * taken under the lock: what was applied before has been deleted too. @callers user-data
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
    ids.map(hashOf),
    deletedAt,
  ]);
}

function idsOf({ customUserId, serviceUserId }: Identified): UserId[] {
  return [
    ...(customUserId === null ? [] : [{ kind: 'customUserId', id: customUserId } as const]),
    ...(serviceUserId === null ? [] : [{ kind: 'serviceUserId', id: serviceUserId } as const]),
  ];
}

function hashOf({ kind, id }: UserId): string {
  return createHash('sha256').update(`${kind}:${id}`).digest('hex');
}
