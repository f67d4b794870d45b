import { CAMPAIGN_FAILURE_REASONS } from '@tidings/contracts/push/campaigns';
import { nextInSlowLane } from '@tidings/delivery/slow-lane';
import { takeSnapshot, type SnapshotOutcome } from '@tidings/delivery/snapshots';
import {
  campaignsToSnapshot,
  failExpiredSnapshots,
  isAwaitingSnapshot,
  type TryBounds,
} from '@tidings/delivery/snapshot-tries';
import { Counter, Histogram, onAbort, sleep, systemClock } from '@tidings/platform';
import { expandSmall, type ExpansionDependencies } from './expand-small.ts';
import { createFindMembers } from './find-members.ts';

const OUTCOMES = ['taken', 'slow', 'failed', 'interrupted'] as const;

const snapshotSeconds = new Histogram({
  name: 'tidings_campaign_snapshot_seconds',
  help: 'Time of one try to read the recipients of a campaign to a segment, by outcome: taken, slow (it took too long, and is tried again in the slow lane), failed (it can have none, see its event log), interrupted (tried again).',
  labelNames: ['outcome'] as const,
  buckets: [0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 600],
});
const failuresTotal = new Counter({
  name: 'tidings_campaign_snapshot_failures_total',
  help: 'Campaigns to a segment that failed without recipients, by reason.',
  labelNames: ['reason'] as const,
});

export type SnapshotBounds = TryBounds & {
  /** Of the first try, which every campaign gets. */
  readonly fastMs: number;
  /** Of the only other one, for which a campaign waits in the slow lane. */
  readonly slowMs: number;
  /** Until a campaign that was canceled meanwhile is noticed. */
  readonly watchMs: number;
};

export const SNAPSHOT_BOUNDS: SnapshotBounds = {
  fastMs: 15_000,
  slowMs: 600_000,
  triesMax: 3,
  retryMs: 10_000,
  watchMs: 1_000,
};

/** What another process tries, or has tried, is not looked at again at once. */
const LEFT_ALONE_MS = 1_000;

export type SnapshotDependencies = ExpansionDependencies & {
  readonly clock: { monotonicMs(): number };
  /** For the persons of funnels. */
  readonly analyticsMemoryMiB: number;
  /** A large campaign has its recipients. */
  readonly onLarge?: () => void;
};

/**
 * Reads the recipients of campaigns to segments. A campaign has a short first try. What does not
 * end in it waits for a long one in the slow lane, which has one place in the whole installation.
 */
export interface SnapshotTaker {
  /**
   * Tries the campaigns that wait for their first try, one after the other. Each concurrent call is
   * a place for one more. An application takes one place, so that its costly segments leave the
   * others free, and applications take turns.
   */
  takeAll(signal: AbortSignal): Promise<void>;
  /** Tries those that wait in the slow lane, unless another process does. */
  takeSlow(signal: AbortSignal): Promise<void>;
}

/**
 * Campaigns with few recipients are expanded at once, others by `expandBulk`. A try that fails
 * otherwise, as by a lost connection, leaves nothing behind. It is repeated some seconds later.
 */
export function createSnapshotTaker(
  deps: SnapshotDependencies,
  bounds: SnapshotBounds = SNAPSHOT_BOUNDS,
): SnapshotTaker {
  const { keyedDb, logger, clock } = deps;
  const findMembers = createFindMembers(deps.db, deps.analyticsMemoryMiB);
  // Prometheus does not see the observation that creates a series.
  for (const outcome of OUTCOMES) snapshotSeconds.zero({ outcome });
  for (const reason of CAMPAIGN_FAILURE_REASONS) failuresTotal.inc({ reason }, 0);
  const notBefore = new Map<string, number>();
  /** Applications with a first try in this process. */
  const running = new Set<string>();
  /** Remembered across passes: the application that was served longest ago is next. */
  let served: ReadonlyMap<string, number> = new Map();
  let turn = 0;

  /** False: it is not tried now. */
  async function take(
    campaignId: string,
    { isSlow, signal }: { readonly isSlow: boolean; readonly signal: AbortSignal },
  ): Promise<boolean> {
    const end = snapshotSeconds.startTimer();
    const watch = watchCampaign(deps, campaignId, { everyMs: bounds.watchMs, signal });
    let result: SnapshotOutcome;
    try {
      result = await takeSnapshot(deps, campaignId, {
        ...bounds,
        isSlow,
        timeoutMs: isSlow ? bounds.slowMs : bounds.fastMs,
        findMembers,
        signal: watch.signal,
      });
    } catch (error) {
      if (watch.isGone()) {
        logger.info({ campaignId }, 'campaign to a segment ended while its recipients were read');
        return true;
      }
      end({ outcome: 'interrupted' });
      if (signal.aborted) return false;
      // Postgres knows, unless it could not be asked.
      notBefore.set(campaignId, clock.monotonicMs() + bounds.retryMs);
      logger.warn(
        { err: error, campaignId },
        'recipients of a segment could not be read, retrying',
      );
      return false;
    } finally {
      watch.stop();
    }
    if (result.outcome === 'held' || result.outcome === 'gone') {
      notBefore.set(campaignId, clock.monotonicMs() + LEFT_ALONE_MS);
      return result.outcome === 'gone';
    }
    end({ outcome: result.outcome });
    if (result.outcome === 'slow')
      logger.warn(
        { campaignId },
        'recipients of a segment take long, tried again in the slow lane',
      );
    if (result.outcome === 'failed') {
      failuresTotal.inc({ reason: result.reason });
      logger.warn(
        { campaignId, reason: result.reason },
        'campaign to a segment failed; its event log says why',
      );
    }
    if (result.outcome !== 'taken') return true;
    logger.info({ campaignId, rows: result.recipients }, 'recipients of a segment read');
    if (result.lane === 'express') await expandSmall(deps, [campaignId], { signal });
    else deps.onLarge?.();
    return true;
  }

  function forgetDue(): void {
    const now = clock.monotonicMs();
    for (const [id, at] of notBefore) if (at <= now) notBefore.delete(id);
  }

  async function nextFast() {
    forgetDue();
    const found = await campaignsToSnapshot(keyedDb, bounds, {
      campaigns: [...notBefore.keys()],
      applications: [...running],
    });
    const waiting = new Set(found.map(({ applicationId }) => applicationId));
    served = new Map([...served].filter(([of]) => waiting.has(of) || running.has(of)));
    const lastServed = ({ applicationId }: { readonly applicationId: string }): number =>
      served.get(applicationId) ?? 0;
    // Another place may have begun one meanwhile.
    const free = found.filter(({ applicationId }) => !running.has(applicationId));
    return free.toSorted((a, b) => lastServed(a) - lastServed(b))[0];
  }

  return {
    async takeAll(signal) {
      await failExpiredSnapshots(keyedDb);
      while (!signal.aborted) {
        const next = await nextFast();
        if (next === undefined) return;
        const { id, applicationId } = next;
        running.add(applicationId);
        served = new Map([...served, [applicationId, (turn += 1)]]);
        await take(id, { isSlow: false, signal }).finally(() => running.delete(applicationId));
      }
    },
    async takeSlow(signal) {
      while (!signal.aborted) {
        forgetDue();
        const campaignId = await nextInSlowLane(keyedDb, bounds);
        if (campaignId === null || notBefore.has(campaignId)) return;
        if (!(await take(campaignId, { isSlow: true, signal }))) return;
      }
    },
  };
}

/** Its signal aborts when the campaign no longer waits for its recipients, or with `signal`. */
function watchCampaign(
  { keyedDb }: Pick<SnapshotDependencies, 'keyedDb'>,
  campaignId: string,
  { everyMs, signal }: { readonly everyMs: number; readonly signal: AbortSignal },
) {
  const canceling = new AbortController();
  const ended = new AbortController();
  const stopListening = onAbort(signal, () => canceling.abort(signal.reason));
  let isGone = false;
  const watch = async (): Promise<void> => {
    while (!isGone) {
      await sleep(systemClock, everyMs, ended.signal);
      if (ended.signal.aborted) return;
      // A failed look says nothing.
      isGone = !(await isAwaitingSnapshot(keyedDb, campaignId).catch(() => true));
    }
    canceling.abort();
  };
  void watch();
  return {
    signal: canceling.signal,
    isGone: () => isGone,
    stop(): void {
      stopListening();
      ended.abort();
    },
  };
}
