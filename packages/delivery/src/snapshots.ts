import {
  chooseLane,
  EXPRESS_RECIPIENTS_MAX,
  LIMITS,
  type Lane,
  type StoredAudience,
} from '@tidings/contracts';
import type { Database, Sql } from '@tidings/postgres/database';
import { definePreparedByKeys } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { LOCAL_LANE } from './accept.ts';
import { insertChunks, type Members } from './insert-snapshot.ts';

const statement = statementsIn(import.meta.dirname);

const CAMPAIGNS_TO_SNAPSHOT = definePreparedByKeys(statement('campaigns-to-snapshot'));
const FAIL_EXPIRED_SNAPSHOTS = definePreparedByKeys(statement('fail-expired-snapshots'));

/**
 * Campaigns to a segment whose recipients are not read yet, but for `except`: the oldest of each
 * application. @callers campaigns
 */
export async function campaignsToSnapshot(
  db: Database,
  except: readonly string[],
): Promise<string[]> {
  const { rows } = await db.sql.query<{ id: string }>(CAMPAIGNS_TO_SNAPSHOT, [except]);
  return rows.map((row) => row.id);
}

/** Ends campaigns that expired before their recipients were read. @callers campaigns */
export async function failExpiredSnapshots(db: Database): Promise<void> {
  await db.sql.query(FAIL_EXPIRED_SNAPSHOTS);
}

/**
 * Says who the recipients of an audience are, with the audience as it is now; or why there can be
 * none. Prepares the transaction for their statement.
 */
export type FindMembers = (
  sql: Sql,
  campaign: { readonly applicationId: string; readonly audience: StoredAudience },
) => Promise<
  { readonly members: Members; readonly audience: StoredAudience } | { readonly failure: string }
>;

/**
 * `gone`: it was canceled, has expired, or has its recipients. `held`: another process is reading
 * them. `failed`: it never will have any, and its event log says why.
 */
export type SnapshotOutcome =
  | {
      readonly outcome: 'taken';
      readonly recipients: number;
      readonly lane: Lane | typeof LOCAL_LANE;
    }
  | { readonly outcome: 'failed' | 'gone' | 'held' };

/**
 * Reads the recipients of a campaign to a segment: in one transaction, with one statement, so all
 * of them at one moment, or none. An advisory lock keeps other processes from the same work. The
 * campaign's row is locked only at the end, so that cancel does not wait; what was canceled
 * meanwhile is rolled back. @callers campaigns
 * @param recipientsMax with more, the campaign fails
 */
export async function takeSnapshot(
  db: Database,
  campaignId: string,
  {
    findMembers,
    signal,
    recipientsMax = LIMITS.snapshotMax,
  }: {
    readonly findMembers: FindMembers;
    readonly signal: AbortSignal;
    readonly recipientsMax?: number;
  },
): Promise<SnapshotOutcome> {
  try {
    return await db.transaction(async (sql): Promise<SnapshotOutcome> => {
      const campaign = await lockSnapshot(sql, campaignId);
      if (typeof campaign === 'string') return { outcome: campaign };
      const stopListening = await cancelOnAbort(db, sql, signal);
      try {
        const found = await findMembers(sql, campaign);
        if ('failure' in found) return await fail(sql, campaignId, found.failure);
        const { isLocal } = campaign;
        const recipients = await insertChunks(sql, found.members, {
          campaignId,
          max: recipientsMax,
          expressMax: isLocal ? 0 : EXPRESS_RECIPIENTS_MAX,
        });
        if (recipients > recipientsMax)
          return await fail(
            sql,
            campaignId,
            `More than ${recipientsMax} users are in the segment.`,
          );
        const lane = isLocal ? LOCAL_LANE : chooseLane(recipients);
        await change(sql, statement('finish-snapshot'), [
          campaignId,
          lane,
          recipients,
          JSON.stringify(found.audience),
        ]);
        return { outcome: 'taken', recipients, lane };
      } finally {
        stopListening();
      }
    });
  } catch (error) {
    if (error instanceof CampaignGone) return { outcome: 'gone' };
    throw error;
  }
}

/** Thrown to roll back. */
class CampaignGone extends Error {}

type SnapshotCampaign = {
  readonly applicationId: string;
  readonly audience: StoredAudience;
  /** With a local time. */
  readonly isLocal: boolean;
};

async function lockSnapshot(
  sql: Sql,
  campaignId: string,
): Promise<SnapshotCampaign | 'held' | 'gone'> {
  const { rows: locks } = await sql.query<{ is_locked: boolean }>(statement('lock-snapshot'), [
    campaignId,
  ]);
  if (locks[0]?.is_locked !== true) return 'held';
  // After the lock: another process may have finished while this one waited to begin.
  const { rows } = await sql.query<{
    application_id: string;
    audience: unknown;
    is_local: boolean;
  }>(statement('read-snapshot-campaign'), [campaignId]);
  const [row] = rows;
  return row === undefined
    ? 'gone'
    : {
        applicationId: row.application_id,
        audience: row.audience as StoredAudience,
        isLocal: row.is_local,
      };
}

/** Cancels the statement of this transaction when the process ends, so that it ends in time. */
async function cancelOnAbort(db: Database, sql: Sql, signal: AbortSignal): Promise<() => void> {
  signal.throwIfAborted();
  const { rows } = await sql.query<{ pid: number }>(statement('read-backend-pid'));
  const cancel = (): void => {
    // It is rolled back at the latest when the connection closes.
    db.sql.query(statement('cancel-backend'), [rows[0]?.pid]).catch(() => undefined);
  };
  signal.addEventListener('abort', cancel, { once: true });
  return () => signal.removeEventListener('abort', cancel);
}

async function fail(sql: Sql, campaignId: string, why: string): Promise<SnapshotOutcome> {
  await change(sql, statement('fail-snapshot'), [campaignId, why]);
  return { outcome: 'failed' };
}

/** @throws CampaignGone if the campaign no longer waits for its recipients */
async function change(sql: Sql, text: string, values: readonly unknown[]): Promise<void> {
  const { rowCount } = await sql.query(text, [...values]);
  if (rowCount !== 1) throw new CampaignGone();
}
