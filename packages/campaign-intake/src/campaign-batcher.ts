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
  help: 'Campaigns stored by one statement.',
  buckets: [1, 2, 5, 10, 25, 50, 100, 250],
});
const unfinishedCampaigns = new Gauge({
  name: 'tidings_push_pending_campaigns',
  help: 'Campaigns waiting to be stored.',
});

export type CampaignBatcherOptions = {
  /** Stores all or none. Returns the result of each, in the given order. */
  readonly store: (campaigns: readonly NewCampaign[]) => Promise<AcceptedCampaign[]>;
  /** Maximum time that a caller waits, in the queue and for the statement together. */
  readonly deadlineMs: number;
  /** Bounds of one statement. */
  readonly campaignsMax?: number;
  readonly bytesMax?: number;
  /** Maximum queued campaigns; further callers get 503 at once. */
  readonly waitingMax?: number;
};

/** Groups the campaigns of concurrent callers into one statement. */
export interface CampaignBatcher {
  /**
   * Resolves when the campaign is committed. `bytes` is the size of its request and
   * templates.
   * @throws AppError `unavailable` if the commit was not confirmed before the deadline (the
   * campaign may still be stored), else what the store throws
   */
  accept(campaign: NewCampaign, bytes: number): Promise<AcceptedCampaign>;
  /** Resolves when no campaign is queued or in progress. */
  drain(): Promise<void>;
}

/**
 * Campaigns above this size have a batcher of their own and go alone, so small ones do not wait for
 * them.
 */
const SMALL_BYTES_MAX = 64 * 1024;
/** Two: one statement is prepared while Postgres runs the other. */
const FLUSHES_MAX = 2;

/**
 * Starts the next statement when one ends, with all campaigns queued meanwhile: a lone campaign is
 * not delayed, and under load many share one commit. A campaign that cannot be stored fails alone.
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
        error: () => unavailable('The campaign was not stored in time. Try again.'),
      },
      runsMax: FLUSHES_MAX,
    });
  const small = lane({ itemsMax: campaignsMax, bytesMax });
  const large = lane({ itemsMax: 1, bytesMax: Infinity });

  return {
    async accept(campaign, bytes) {
      const batcher = bytes <= SMALL_BYTES_MAX ? small : large;
      if (batcher.waiting() >= waitingMax)
        throw unavailable('Too many campaigns are waiting to be stored. Try again.');
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
