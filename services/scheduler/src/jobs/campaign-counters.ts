import { reconcileCounters } from '@tidings/delivery/reconcile';
import { Counter } from '@tidings/platform';
import type { SchedulerConfig } from '../config.ts';
import type { Job } from '../job.ts';

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

/**
 * Compares counters with a recount: in each pass those of the next campaigns, after the last one those of the first again.
 * Nothing is repaired: a difference means that somebody changes deliveries past their counters, which has to be found.
 */
export function campaignCounters(
  { reconcileIntervalMs }: Pick<SchedulerConfig, 'reconcileIntervalMs'>,
  { campaignsMax, ...bounds } = BOUNDS,
): Job {
  let after: string | null = null;
  return {
    name: 'campaign-counters',
    intervalMs: reconcileIntervalMs,
    bound: { itemsPerStep: campaignsMax, stepsMax: 1 },
    // It only reads. Each replica goes round by itself, and counts what it finds.
    replicaMode: 'repeats',
    run: ({ db, logger, inSteps }) =>
      inSteps(async (limit) => {
        const { campaigns, differences, nextAfter } = await reconcileCounters(db, after, {
          ...bounds,
          campaignsMax: limit,
        });
        after = nextAfter;
        reconciledTotal.inc(campaigns);
        differencesTotal.inc(differences.length);
        for (const { campaignId, state, reason, counted, recounted } of differences) {
          logger.error(
            {
              campaignId,
              counter: reason === '' ? state : `${state}:${reason}`,
              counted,
              recounted,
            },
            'counter of a campaign differs from a recount',
          );
        }
        return after !== null;
      }),
  };
}
