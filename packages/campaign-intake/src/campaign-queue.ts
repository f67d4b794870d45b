import type { GroupCommit } from '@tidings/bus';
import type { CampaignQueueRecord } from '@tidings/contracts';
import { Counter, type Logger } from '@tidings/platform';

const undispatchedTotal = new Counter({
  name: 'tidings_campaigns_undispatched_total',
  help: 'Campaigns that Kafka was not told of: a sweep finds them.',
});

/** Tells the campaigns service of a new campaign at once; one that is not told is found by its sweep. */
export interface CampaignQueue {
  enqueue(campaignId: string): void;
  /** Resolves when nothing is under way. */
  drain(): Promise<void>;
}

/** While Kafka is away announcements would only pile up. */
const UNDERWAY_MAX = 10_000;

export function createCampaignQueue(
  topic: Pick<GroupCommit, 'append'>,
  logger: Logger,
): CampaignQueue {
  const underway = new Set<Promise<void>>();
  // Thousands in a second fail alike: the change is worth a line, not each of them.
  let isFailing = false;
  const failed = (error: unknown, campaignId: string): void => {
    undispatchedTotal.inc();
    if (!isFailing)
      logger.warn(
        { err: error, campaignId },
        'campaigns are not announced, the sweep will find them',
      );
    isFailing = true;
  };
  return {
    enqueue(campaignId) {
      if (underway.size >= UNDERWAY_MAX) {
        undispatchedTotal.inc();
        return;
      }
      const announcement: CampaignQueueRecord = { campaignId };
      const call = topic
        .append({ key: campaignId, value: JSON.stringify(announcement) })
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
