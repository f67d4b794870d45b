import type { GroupCommit } from '@tidings/bus';
import type { CampaignQueueRecord } from '@tidings/contracts/ingest/records';
import { Counter, type Logger } from '@tidings/platform';

const undispatchedTotal = new Counter({
  name: 'tidings_campaigns_undispatched_total',
  help: 'Campaigns whose Kafka record could not be written. A sweep expands them later.',
});

/**
 * Hands a new campaign to the campaigns service through Kafka. A sweep of that service finds
 * campaigns whose record was not written.
 */
export interface CampaignQueue {
  enqueue(campaignId: string): void;
  /** Resolves when no record is in flight. */
  drain(): Promise<void>;
}

/** Records in flight at most: while Kafka is unavailable they would pile up. */
const UNDERWAY_MAX = 10_000;

export function createCampaignQueue(
  topic: Pick<GroupCommit, 'append'>,
  logger: Logger,
): CampaignQueue {
  const underway = new Set<Promise<void>>();
  // Log only the first failure of an outage: thousands per second fail alike.
  let isFailing = false;
  const failed = (error: unknown, campaignId: string): void => {
    undispatchedTotal.inc();
    if (!isFailing)
      logger.warn(
        { err: error, campaignId },
        'campaigns cannot be queued in Kafka; the sweep will expand them',
      );
    isFailing = true;
  };
  return {
    enqueue(campaignId) {
      if (underway.size >= UNDERWAY_MAX) {
        undispatchedTotal.inc();
        return;
      }
      const record: CampaignQueueRecord = { campaignId };
      const call = topic
        .append({ key: campaignId, value: JSON.stringify(record) })
        .then(
          () => {
            isFailing = false;
          },
          (error: unknown) => failed(error, campaignId),
        )
        .finally(() => underway.delete(call));
      underway.add(call);
    },
    async drain() {
      await Promise.all(underway);
    },
  };
}
