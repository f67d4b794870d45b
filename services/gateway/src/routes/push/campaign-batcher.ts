import { isDatabaseAway, type AcceptedCampaign, type NewCampaign } from '@tidings/db';
import { AppError, Gauge, Histogram, retryAfterSeconds } from '@tidings/platform';

const flushCampaigns = new Histogram({
  name: 'tidings_gateway_push_flush_campaigns',
  help: 'Campaigns that share one statement.',
  buckets: [1, 2, 5, 10, 25, 50, 100, 250],
});
const waitingCampaigns = new Gauge({ name: 'tidings_gateway_push_waiting_campaigns', help: 'Campaigns that wait for their statement to begin.' });

export type CampaignBatcherOptions = {
  /** Stores all of them or none; what became of each, in the order given. */
  readonly store: (campaigns: readonly NewCampaign[]) => Promise<AcceptedCampaign[]>;
  /** How long a caller waits at most, queue and statement together. */
  readonly deadlineMs: number;
  /** Bounds of one statement. */
  readonly campaignsMax?: number;
  readonly bytesMax?: number;
  /** Campaigns that wait at most; beyond it callers are turned away at once. */
  readonly waitingMax?: number;
};

/** Gathers the campaigns of concurrent callers into one statement. */
export interface CampaignBatcher {
  /**
   * Resolves when the campaign is committed. `bytes` is the size of its request.
   * @throws AppError `unavailable` when that was not confirmed before the deadline (it may still be stored), else what the store throws
   */
  accept(campaign: NewCampaign, bytes: number): Promise<AcceptedCampaign>;
  /** Resolves when nothing waits and nothing is under way. */
  drain(): Promise<void>;
}

type Entry = {
  readonly campaign: NewCampaign;
  readonly bytes: number;
  isSettled: boolean;
  settle(result: AcceptedCampaign | Error): void;
};

/** A larger campaign goes alone and by another way, so that no small one waits for it. */
const SMALL_BYTES_MAX = 64 * 1024;
/** Two, so that one is prepared while Postgres writes the other. */
const FLUSHES_MAX = 2;

/**
 * The next statement begins when one ends, with whatever has gathered: a lone campaign waits for nobody, and a thousand
 * a second share some commits. One that cannot be stored fails alone.
 */
export function createCampaignBatcher({ store, deadlineMs, campaignsMax = 100, bytesMax = 512 * 1024, waitingMax = 5_000 }: CampaignBatcherOptions): CampaignBatcher {
  const small = createLane({ store, campaignsMax, bytesMax });
  const large = createLane({ store, campaignsMax: 1, bytesMax: Infinity });
  const unfinished = new Set<Promise<unknown>>();

  return {
    accept(campaign, bytes) {
      const lane = bytes <= SMALL_BYTES_MAX ? small : large;
      if (lane.waiting() >= waitingMax) return Promise.reject(unavailable('Too many campaigns wait to be stored.'));
      const accepted = new Promise<AcceptedCampaign>((resolve, reject) => {
        const entry: Entry = {
          campaign,
          bytes,
          isSettled: false,
          settle(result) {
            if (entry.isSettled) return;
            entry.isSettled = true;
            clearTimeout(deadline);
            if (result instanceof Error) reject(result);
            else resolve(result);
          },
        };
        const deadline = setTimeout(() => {
          entry.settle(unavailable('The campaign was not stored in time.'));
          lane.remove(entry);
        }, deadlineMs);
        lane.add(entry);
      });
      const finished = accepted.catch(() => undefined).finally(() => unfinished.delete(finished));
      unfinished.add(finished);
      return accepted;
    },
    async drain() {
      while (unfinished.size > 0) await Promise.all(unfinished);
      await Promise.all([small.idle(), large.idle()]);
    },
  };
}

type Lane = {
  add(entry: Entry): void;
  remove(entry: Entry): void;
  waiting(): number;
  idle(): Promise<void>;
};

type LaneOptions = Required<Pick<CampaignBatcherOptions, 'store' | 'campaignsMax' | 'bytesMax'>>;

function createLane({ store, campaignsMax, bytesMax }: LaneOptions): Lane {
  const queue = new Set<Entry>();
  const flushes = new Set<Promise<void>>();
  let isScheduled = false;

  /** Callers of one turn of the event loop share a statement, even when none is under way. */
  function schedule(): void {
    if (isScheduled || queue.size === 0 || flushes.size >= FLUSHES_MAX) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const entries = take();
      if (entries.length === 0) return;
      flushCampaigns.observe(entries.length);
      const flush = write(store, entries).finally(() => {
        flushes.delete(flush);
        schedule();
      });
      flushes.add(flush);
      schedule();
    });
  }

  function take(): Entry[] {
    const entries: Entry[] = [];
    let bytes = 0;
    for (const entry of queue) {
      bytes += entry.bytes;
      if (entries.length > 0 && (entries.length === campaignsMax || bytes > bytesMax)) break;
      entries.push(entry);
      remove(entry);
    }
    return entries;
  }

  function remove(entry: Entry): void {
    if (queue.delete(entry)) waitingCampaigns.dec();
  }

  return {
    add(entry) {
      queue.add(entry);
      waitingCampaigns.inc();
      schedule();
    },
    remove,
    waiting: () => queue.size,
    idle: async () => {
      await Promise.all(flushes);
    },
  };
}

/** One campaign that cannot be stored must not take the others with it: halves are tried until it is alone. */
async function write(store: CampaignBatcherOptions['store'], all: readonly Entry[]): Promise<void> {
  const entries = all.filter((entry) => !entry.isSettled);
  if (entries.length === 0) return;
  try {
    const results = await store(entries.map((entry) => entry.campaign));
    for (const [index, entry] of entries.entries()) entry.settle(results[index] ?? new Error('the store told nothing of a campaign'));
  } catch (error) {
    if (entries.length === 1 || isDatabaseAway(error)) {
      const failure = error instanceof Error ? error : new Error('the store failed', { cause: error });
      for (const entry of entries) entry.settle(failure);
      return;
    }
    const middle = Math.ceil(entries.length / 2);
    await write(store, entries.slice(0, middle));
    await write(store, entries.slice(middle));
  }
}

function unavailable(detail: string): AppError {
  return new AppError('unavailable', detail, { retryAfterSeconds: retryAfterSeconds() });
}
