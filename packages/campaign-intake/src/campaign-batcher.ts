import type { AcceptedCampaign, NewCampaign } from '@tidings/delivery/accept';
import {
  AppError,
  createMicroBatcher,
  Gauge,
  Histogram,
  retryAfterSeconds,
} from '@tidings/platform';
import { isDatabaseUnavailable } from '@tidings/postgres/database';

const flushCampaigns = new Histogram({
  name: 'tidings_push_flush_campaigns',
  help: 'Campaigns that share one statement.',
  buckets: [1, 2, 5, 10, 25, 50, 100, 250],
});
const unfinishedCampaigns = new Gauge({
  name: 'tidings_push_pending_campaigns',
  help: 'Campaigns waiting to be stored.',
});

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

/** A larger campaign goes alone and by another way, so that no small one waits for it. */
const SMALL_BYTES_MAX = 64 * 1024;
/** Two, so that one is prepared while Postgres writes the other. */
const FLUSHES_MAX = 2;

/**
 * The next statement begins when one ends, with whatever has gathered: a lone campaign waits for nobody, and a thousand
 * a second share some commits. One that cannot be stored fails alone.
 */
export function createCampaignBatcher({
  store,
  deadlineMs,
  campaignsMax = 100,
  bytesMax = 512 * 1024,
  waitingMax = 5_000,
}: CampaignBatcherOptions): CampaignBatcher {
  const lane = (bounds: { readonly itemsMax: number; readonly bytesMax: number }) =>
    createMicroBatcher<NewCampaign, AcceptedCampaign>({
      ...bounds,
      run(campaigns) {
        flushCampaigns.observe(campaigns.length);
        return store(campaigns);
      },
      isOwnFault: (error) => !isDatabaseUnavailable(error),
      deadline: {
        ms: deadlineMs,
        error: () => unavailable('The campaign was not stored in time.'),
      },
      runsMax: FLUSHES_MAX,
    });
  const small = lane({ itemsMax: campaignsMax, bytesMax });
  const large = lane({ itemsMax: 1, bytesMax: Infinity });

  return {
    async accept(campaign, bytes) {
      const batcher = bytes <= SMALL_BYTES_MAX ? small : large;
      if (batcher.waiting() >= waitingMax)
        throw unavailable('Too many campaigns wait to be stored.');
      unfinishedCampaigns.inc();
      try {
        return await batcher.add(campaign, bytes);
      } finally {
        unfinishedCampaigns.dec();
      }
    },
    async drain() {
      await Promise.all([small.drain(), large.drain()]);
    },
  };
}

function unavailable(detail: string): AppError {
  return new AppError('unavailable', detail, { retryAfterSeconds: retryAfterSeconds() });
}
