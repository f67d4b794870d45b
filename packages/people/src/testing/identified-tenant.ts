import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { systemIds } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { createTestApplication, ingestRecord, transactUntilDone } from '@tidings/testing';
import { readUser } from '../users.ts';
import { resolveIdentities } from '../identities.ts';
import type { Identity } from '../identity.ts';
import { applyUserUpdates, type UserUpdate } from '../profiles.ts';

/** The user ids of a record. */
export type Ids = Partial<
  Pick<IngestRecord, 'customUserId' | 'serviceUserId' | 'keyType' | 'userProof'>
>;

/** The application of one test, with its senders. */
export async function createTenant(db: Database) {
  const { applicationId } = await createTestApplication(db);
  const record = (ids: Ids): IngestRecord => ingestRecord({ applicationId, ...ids });
  const resolveIn = async (
    sql: Sql,
    ...sent: readonly Ids[]
  ): Promise<(Identity | undefined)[]> => {
    const records = sent.map(record);
    const identities = await resolveIdentities(sql, records);
    return records.map(({ requestId }) => identities.get(requestId));
  };
  return {
    applicationId,
    record,
    resolveIn,
    /** Applies the records in one transaction, and returns the user of each. */
    resolve: (...sent: readonly Ids[]) => transactUntilDone(db, (sql) => resolveIn(sql, ...sent)),
    register: (customUserId: string, change: Partial<UserUpdate> = {}) =>
      transactUntilDone(db, async (sql) => {
        const userId = userOf((await resolveIn(sql, { customUserId }))[0]);
        await applyUserUpdates(sql, [userUpdate(userId, { registers: true, ...change })]);
        return userId;
      }),
    read: (customUserId: string) => readUser(db, applicationId, customUserId),
    async countUsers(): Promise<number> {
      const { rows } = await db.sql.query<{ n: string }>(
        'select count(*) as n from users where application_id = $1',
        [applicationId],
      );
      return Number(rows[0]?.n);
    },
    /** The user, or the person it was merged into. */
    async rootOf(identity: Identity | undefined): Promise<string> {
      const { rows } = await db.sql.query<{ id: string }>(
        'select coalesce(merged_into, id) as id from users where id = $1',
        [userOf(identity)],
      );
      return rows[0]?.id ?? 'unknown';
    },
  };
}

export function userUpdate(userId: string, change: Partial<UserUpdate> = {}): UserUpdate {
  return {
    userId,
    receivedAt: Date.now(),
    keyType: 'server',
    isProved: true,
    messageId: systemIds.uuid(),
    time: 1,
    update: {},
    registers: false,
    ...change,
  };
}

/** @throws Error where the identity names no user */
export function userOf(identity: Identity | undefined): string {
  if (identity === undefined || 'reason' in identity || identity.userId === null)
    throw new Error(`no user: ${JSON.stringify(identity)}`);
  return identity.userId;
}
