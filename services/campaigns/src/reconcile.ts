import { reconcileCounters } from '@tidings/delivery/reconcile';
import { Counter, type Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';

const differencesTotal = new Counter({
  name: 'tidings_campaign_counter_differences_total',
  help: 'Counters of campaigns that were not what a recount of the deliveries says: a bug, a person must look.',
});
const reconciledTotal = new Counter({
  name: 'tidings_campaigns_reconciled_total',
  help: 'Campaigns whose counters were compared with a recount.',
});

/** What one look costs at most: some tenths of a second of Postgres. */
const BOUNDS = { campaignsMax: 500, recipientsMax: 100_000, days: 3 };

export interface Reconciler {
  /** Looks at the next campaigns, and after the last one at the first again. */
  step(): Promise<void>;
}

/**
 * Compares counters with a recount, campaign by campaign, for ever. Nothing is repaired: a difference means that somebody
 * changes deliveries past their counters, which has to be found.
 */
export function createReconciler(db: Database, logger: Logger, bounds = BOUNDS): Reconciler {
  let after: string | null = null;
  return {
    async step() {
      const { campaigns, differences, nextAfter } = await reconcileCounters(db, after, bounds);
      after = nextAfter;
      reconciledTotal.inc(campaigns);
      differencesTotal.inc(differences.length);
      for (const { campaignId, state, reason, counted, recounted } of differences) {
        logger.error(
          { campaignId, counter: reason === '' ? state : `${state}:${reason}`, counted, recounted },
          'counter of a campaign differs from a recount',
        );
      }
    },
  };
}
