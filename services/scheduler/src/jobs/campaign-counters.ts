import { reconcileCounters } from '@tidings/delivery/reconcile';
import { Counter } from '@tidings/platform';
import type { SchedulerConfig } from '../config.ts';
import type { Job } from '../job.ts';

const differencesTotal = new Counter({
  name: 'tidings_campaign_counter_differences_total',
  help: 'Campaign counters that differ from a recount of the deliveries. This is a bug: an operator must investigate.',
});
const reconciledTotal = new Counter({
  name: 'tidings_campaigns_reconciled_total',
  help: 'Campaigns whose counters were compared with a recount.',
});

/** Bounds the cost of a check to some tenths of a second of Postgres time. */
const BOUNDS = { campaignsMax: 500, recipientsMax: 100_000, days: 3 };

/**
 * Compares campaign counters with a recount. Each pass checks the next campaigns, and starts again
 * after the last. Repairs nothing: a difference means that some code changes deliveries without
 * their counters, and must be found.
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
    // Read-only. Each replica iterates independently, and counts its own findings.
    replicaMode: 'repeat',
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
