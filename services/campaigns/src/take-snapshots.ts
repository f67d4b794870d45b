import {
  campaignsToSnapshot,
  failExpiredSnapshots,
  takeSnapshot,
  type FindMembers,
  type SnapshotOutcome,
} from '@tidings/delivery/snapshots';
import { Histogram } from '@tidings/platform';
import { findAudience } from '@tidings/segments/audience';
import { compileMembers } from '@tidings/segments/members';
import { localSettings, QUESTION_DEFAULTS, readNow } from '@tidings/segments/question-queue';
import { expandSmall, type ExpansionDependencies } from './expand-small.ts';

const snapshotSeconds = new Histogram({
  name: 'tidings_campaign_snapshot_seconds',
  help: 'Time to read the recipients of a campaign to a segment, by outcome: taken, failed (it can have none, see its event log), interrupted (tried again).',
  labelNames: ['outcome'] as const,
  buckets: [0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 600],
});

/** Longer than for a question in a request: millions of recipients are written too. */
const TIMEOUT_MS = 600_000;
const SETTINGS = localSettings({
  name: 'tidings-snapshots',
  timeoutMs: TIMEOUT_MS,
  workMemMiB: QUESTION_DEFAULTS.workMemMiB,
});

/** Pause after a failed attempt, so that a statement that never ends in time leaves room for others. */
const RETRY_MS = 60_000;

export type SnapshotDependencies = ExpansionDependencies & {
  readonly clock: { monotonicMs(): number };
  /** A large campaign has its recipients. */
  readonly onLarge?: () => void;
};

/**
 * Reads the recipients of campaigns to segments, one campaign at a time in a process. Applications
 * take turns, so that none waits for all campaigns of another one.
 */
export interface SnapshotTaker {
  /** Reads those of all campaigns that wait, each once. */
  takeAll(signal: AbortSignal): Promise<void>;
}

/**
 * Campaigns with few recipients are expanded at once, others by `expandBulk`. A failed attempt
 * leaves nothing behind and is repeated after a minute; meanwhile the other campaigns go on.
 */
export function createSnapshotTaker(deps: SnapshotDependencies): SnapshotTaker {
  const { db, keyedDb, logger, clock } = deps;
  const notBefore = new Map<string, number>();

  async function take(campaignId: string, signal: AbortSignal): Promise<void> {
    const end = snapshotSeconds.startTimer();
    let result: SnapshotOutcome;
    try {
      result = await takeSnapshot(db, campaignId, { findMembers, signal });
    } catch (error) {
      end({ outcome: 'interrupted' });
      if (signal.aborted) return;
      notBefore.set(campaignId, clock.monotonicMs() + RETRY_MS);
      logger.warn(
        { err: error, campaignId },
        'recipients of a segment could not be read, retrying',
      );
      return;
    }
    if (result.outcome === 'failed')
      logger.warn({ campaignId }, 'campaign to a segment failed; its event log says why');
    if (result.outcome === 'taken' || result.outcome === 'failed') end({ outcome: result.outcome });
    if (result.outcome !== 'taken') return;
    logger.info({ campaignId, rows: result.recipients }, 'recipients of a segment read');
    if (result.lane === 'express') await expandSmall(deps, [campaignId], { signal });
    else deps.onLarge?.();
  }

  return {
    async takeAll(signal) {
      await failExpiredSnapshots(keyedDb);
      const now = clock.monotonicMs();
      for (const [id, at] of notBefore) if (at <= now) notBefore.delete(id);
      // Also what another process holds, or was read: each is looked at once in a pass.
      const tried = [...notBefore.keys()];
      for (;;) {
        const next = await campaignsToSnapshot(keyedDb, tried);
        if (next.length === 0) return;
        for (const campaignId of next) {
          if (signal.aborted) return;
          await take(campaignId, signal);
          tried.push(campaignId);
        }
      }
    },
  };
}

export const findMembers: FindMembers = async (sql, { applicationId, audience }) => {
  await sql.query(SETTINGS);
  const found = await findAudience(sql, applicationId, audience);
  if ('failure' in found) return found;
  return {
    audience: found.audience,
    members: compileMembers({ ...found.asked, now: await readNow(sql) }),
  };
};
