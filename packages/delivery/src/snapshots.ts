import {
  chooseLane,
  EXPRESS_RECIPIENTS_MAX,
  type Lane,
} from '@tidings/contracts/channels/channels';
import { LIMITS } from '@tidings/contracts/limits';
import type { CampaignFailureReason } from '@tidings/contracts/push/campaigns';
import type { StoredAudience } from '@tidings/contracts/push/push-audience';
import { isCanceled, type Database, type Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { tryAdvisoryLock } from '@tidings/postgres/with-advisory-lock';
import { insertChunks, type Members } from './insert-snapshot.ts';
import {
  beginTry,
  CampaignGone,
  changeAwaiting,
  returnTry,
  type SnapshotFailure,
  type TriedCampaign,
  type TryBounds,
} from './snapshot-tries.ts';

const statement = statementsIn(import.meta.dirname);

const IDLE_MS_MAX = 600_000;

/**
 * Says who the recipients of an audience are, with the audience as it is now; or why there can be
 * none. Prepares the transaction for their statement.
 */
export type FindMembers = (
  sql: Sql,
  campaign: {
    readonly applicationId: string;
    readonly audience: StoredAudience;
    /** Of each statement, also of those in other transactions, which `signal` cancels too. */
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  },
) => Promise<
  | { readonly members: Members; readonly audience: StoredAudience }
  | { readonly failure: SnapshotFailure }
>;

/**
 * `slow`: it took too long, and is tried again in the slow lane. `gone`: it was canceled, has
 * expired, has its recipients, or is not to be tried now. `held`: another process tries it, or is
 * in the slow lane. `failed`: it never will have any, and its event log says why.
 */
export type SnapshotOutcome =
  | {
      readonly outcome: 'taken';
      readonly recipients: number;
      readonly lane: Lane | NonNullable<TriedCampaign['ownLane']>;
    }
  | { readonly outcome: 'failed'; readonly reason: CampaignFailureReason }
  | { readonly outcome: 'slow' | 'gone' | 'held' };

export type SnapshotTry = TryBounds & {
  /** In the slow lane one campaign at a time is tried, in all processes together. */
  readonly isSlow: boolean;
  readonly timeoutMs: number;
  readonly findMembers: FindMembers;
  /** Cancels the try, which then does not count. */
  readonly signal: AbortSignal;
  /** With more, the campaign fails. */
  readonly recipientsMax?: number;
};

/**
 * Reads the recipients of a campaign to a segment: in one transaction, with one statement, so all
 * of them at one moment, or none. An advisory lock keeps other processes from the same work. The
 * campaign's row is locked only at the end, so that cancel does not wait; what was canceled
 * meanwhile is rolled back. A try that takes too long puts the campaign into the slow lane, or ends
 * it there. @callers campaigns
 * @throws what ended the try otherwise: it counts, and may be repeated
 */
export async function takeSnapshot(
  { db, keyedDb }: { readonly db: Database; readonly keyedDb: Database },
  campaignId: string,
  options: SnapshotTry,
): Promise<SnapshotOutcome> {
  const { isSlow, timeoutMs, triesMax, signal } = options;
  let isCounted = false;
  const attempt = async (sql: Sql): Promise<SnapshotOutcome> => {
    if (!(await lockTry(sql, campaignId, isSlow))) return { outcome: 'held' };
    // After the lock: another process may have finished while this one waited to begin.
    const campaign = await beginTry(keyedDb, campaignId, options);
    if (campaign === null) return { outcome: 'gone' };
    isCounted = true;
    if (campaign.tries > triesMax)
      return fail(sql, campaignId, tooSlow(`Reading its users failed ${triesMax} times.`));
    await sql.query('savepoint before_members');
    try {
      return await readRecipients(sql, { ...campaign, campaignId }, options);
    } catch (error) {
      if (signal.aborted || !isCanceled(error)) throw error;
      await sql.query('rollback to savepoint before_members');
      if (isSlow) return await fail(sql, campaignId, tooSlow(inVain(timeoutMs)));
      await changeAwaiting(sql, statement('mark-snapshot-slow'), [campaignId, inVain(timeoutMs)]);
      return { outcome: 'slow' };
    }
  };
  try {
    return await db.transaction(attempt, {
      statementTimeoutMs: timeoutMs,
      // While another transaction prepares its statement.
      idleTimeoutMs: IDLE_MS_MAX,
      signal,
    });
  } catch (error) {
    if (isCounted && signal.aborted) await returnTry(keyedDb, campaignId);
    if (error instanceof CampaignGone) return { outcome: 'gone' };
    throw error;
  }
}

async function lockTry(sql: Sql, campaignId: string, isSlow: boolean): Promise<boolean> {
  if (isSlow && !(await tryAdvisoryLock(sql, 'slowSnapshots'))) return false;
  const { rows } = await sql.query<{ is_locked: boolean }>(statement('lock-snapshot'), [
    campaignId,
  ]);
  return rows[0]?.is_locked === true;
}

async function readRecipients(
  sql: Sql,
  campaign: TriedCampaign & { readonly campaignId: string },
  { findMembers, timeoutMs, signal, recipientsMax = LIMITS.snapshotMax }: SnapshotTry,
): Promise<SnapshotOutcome> {
  const { campaignId, ownLane } = campaign;
  const found = await findMembers(sql, { ...campaign, timeoutMs, signal });
  if ('failure' in found) return fail(sql, campaignId, found.failure);
  const recipients = await insertChunks(sql, found.members, {
    campaignId,
    max: recipientsMax,
    expressMax: ownLane === null ? EXPRESS_RECIPIENTS_MAX : 0,
  });
  if (recipients > recipientsMax)
    return fail(sql, campaignId, {
      reason: 'too_many_recipients',
      detail: `More than ${recipientsMax} users are in the segment.`,
    });
  const lane = ownLane ?? chooseLane(recipients);
  await changeAwaiting(sql, statement('finish-snapshot'), [
    campaignId,
    lane,
    recipients,
    JSON.stringify(found.audience),
  ]);
  return { outcome: 'taken', recipients, lane };
}

async function fail(
  sql: Sql,
  campaignId: string,
  { reason, detail }: SnapshotFailure,
): Promise<SnapshotOutcome> {
  await changeAwaiting(sql, statement('fail-snapshot'), [campaignId, reason, detail]);
  return { outcome: 'failed', reason };
}

const tooSlow = (what: string): SnapshotFailure => ({
  reason: 'segment_too_slow',
  detail: `${what} Shorten the windows of its condition, or remove leaves about events.`,
});

const inVain = (ms: number): string =>
  `Its users were not read within ${ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1_000} s`}.`;
