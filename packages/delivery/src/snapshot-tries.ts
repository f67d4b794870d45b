import type { CampaignFailureReason } from '@tidings/contracts/push/campaigns';
import type { StoredAudience } from '@tidings/contracts/push/push-audience';
import type { Database, Sql } from '@tidings/postgres/database';
import { definePreparedByKeys } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

const CAMPAIGNS_TO_SNAPSHOT = definePreparedByKeys(statement('campaigns-to-snapshot'));
const BEGIN_TRY = definePreparedByKeys(statement('begin-snapshot-try'));
const IS_AWAITING = definePreparedByKeys(statement('is-awaiting-snapshot'));
const FAIL_EXPIRED = definePreparedByKeys(statement('fail-expired-snapshots'));

/** How often reading the recipients of a campaign is tried. */
export type TryBounds = {
  /** Tries that end neither by their time nor with the process, as by a lost connection. */
  readonly triesMax: number;
  /** From the beginning of the first such try to the next; twice as long from the second. */
  readonly retryMs: number;
};

/** Thrown to roll back: the campaign no longer waits for its recipients. */
export class CampaignGone extends Error {}

/**
 * Campaigns to a segment whose recipients may be tried now, outside of the slow lane: the oldest of
 * each application. @callers campaigns
 */
export async function campaignsToSnapshot(
  db: Database,
  { retryMs, triesMax }: TryBounds,
  except: { readonly campaigns: readonly string[]; readonly applications: readonly string[] },
): Promise<{ readonly id: string; readonly applicationId: string }[]> {
  const { rows } = await db.sql.query<{ id: string; applicationId: string }>(
    CAMPAIGNS_TO_SNAPSHOT,
    [except.campaigns, except.applications, retryMs, triesMax],
  );
  return rows;
}

/** Ends campaigns that expired before their recipients were read. @callers campaigns */
export async function failExpiredSnapshots(db: Database): Promise<void> {
  await db.sql.query(FAIL_EXPIRED);
}

/** Whether the recipients of a campaign are still to be read. */
export async function isAwaitingSnapshot(db: Database, campaignId: string): Promise<boolean> {
  const { rows } = await db.sql.query<{ is_awaiting: boolean }>(IS_AWAITING, [campaignId]);
  return rows[0]?.is_awaiting ?? false;
}

export type TriedCampaign = {
  readonly applicationId: string;
  readonly audience: StoredAudience;
  /** Of one that does not send to all at once. */
  readonly ownLane: 'local' | 'trial' | null;
  /** Which try this is; more than `triesMax` if they are used up. */
  readonly tries: number;
};

/**
 * Counts a try before it begins, so that one whose process is killed counts too. Null if the
 * campaign is not to be tried in this lane now. @callers delivery
 */
export async function beginTry(
  db: Database,
  campaignId: string,
  { isSlow, retryMs, triesMax }: TryBounds & { readonly isSlow: boolean },
): Promise<TriedCampaign | null> {
  const { rows } = await db.sql.query<
    Omit<TriedCampaign, 'audience'> & { readonly audience: unknown }
  >(BEGIN_TRY, [campaignId, isSlow, retryMs, triesMax]);
  return (rows[0] as TriedCampaign | undefined) ?? null;
}

/** A try that was ended on purpose does not count. @callers delivery */
export async function returnTry(db: Database, campaignId: string): Promise<void> {
  // Otherwise it counts, as after a kill.
  await db.sql.query(statement('return-snapshot-try'), [campaignId]).catch(() => undefined);
}

/** Why a campaign gets no recipients, for callers and for the readers of its event log. */
export type SnapshotFailure = { readonly reason: CampaignFailureReason; readonly detail: string };

/** Runs a statement that changes one campaign. @throws CampaignGone if it changed none */
export async function changeAwaiting(
  sql: Sql,
  text: string,
  values: readonly unknown[],
): Promise<void> {
  const { rowCount } = await sql.query(text, [...values]);
  if (rowCount !== 1) throw new CampaignGone();
}
