import type { Producer } from '@tidings/bus';
import { TOPICS, type CampaignAnnouncement } from '@tidings/contracts';
import type { Logger } from '@tidings/platform';

/** Tells the campaigns service of a new campaign at once; one that is not told is found by its sweep. */
export interface Announcer {
  announce(campaignId: string): void;
  /** Resolves when nothing is under way. */
  drain(): Promise<void>;
}

/** While Kafka is away announcements would only pile up. */
const UNDERWAY_MAX = 1_000;

export function createAnnouncer(producer: Pick<Producer, 'produce'>, logger: Logger): Announcer {
  const underway = new Set<Promise<void>>();
  return {
    announce(campaignId) {
      if (underway.size >= UNDERWAY_MAX) return;
      const announcement: CampaignAnnouncement = { campaignId };
      const call = producer
        .produce(TOPICS.campaigns, [{ key: campaignId, value: JSON.stringify(announcement) }])
        .then(
          () => undefined,
          (error: unknown) => logger.warn({ err: error, campaignId }, 'campaign not announced, the sweep will find it'),
        )
        .finally(() => underway.delete(call));
      underway.add(call);
    },
    async drain() {
      await Promise.all(underway);
    },
  };
}
