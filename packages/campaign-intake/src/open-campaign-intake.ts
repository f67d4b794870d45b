import { createGroupCommit, type Producer } from '@tidings/bus';
import { TOPICS, type Rate } from '@tidings/contracts';
import { acceptCampaigns } from '@tidings/delivery/accept';
import { integer, type ConfigOf, type ConfigSpec, type Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { createCampaignQueue, type CampaignQueue } from './campaign-queue.ts';
import { createCampaignBatcher, type CampaignBatcher } from './campaign-batcher.ts';

/** For services that take campaigns. */
export const pushConfig = {
  pushDeadlineMs: integer(
    'PUSH_DEADLINE_MS',
    'A campaign that Postgres has not stored by then is answered 503.',
    { default: 5_000, min: 100 },
  ),
  ratePushPerSecond: integer(
    'RATE_PUSH_PER_SECOND',
    'Requests to /push and POST /api/v1/campaigns that an application may send in a second; 0: any number.',
    { default: 50 },
  ),
  ratePushBurst: integer(
    'RATE_PUSH_BURST',
    'Requests to /push and POST /api/v1/campaigns that an application may send at once, after a pause.',
    { default: 100, min: 1 },
  ),
} as const satisfies ConfigSpec;
type PushConfig = ConfigOf<typeof pushConfig>;

export function pushRateOf({ ratePushPerSecond, ratePushBurst }: PushConfig): Rate {
  return { perSecond: ratePushPerSecond, burst: ratePushBurst };
}

/** What stores campaigns, and tells the campaigns service of them. */
export type CampaignIntake = {
  readonly campaigns: CampaignBatcher;
  readonly campaignQueue: CampaignQueue;
  /** Resolves when nothing is under way. */
  drain(): Promise<void>;
};

/** Announcements are small; whoever is not told of one in time finds the campaign by a sweep. */
const QUEUE_BOUNDS = { recordsMax: 500, bytesMax: 512 * 1024, deadlineMs: 8_000 };

export function openCampaignIntake(
  { pushDeadlineMs }: PushConfig,
  {
    db,
    producer,
    logger,
  }: { readonly db: Database; readonly producer: Producer; readonly logger: Logger },
): CampaignIntake {
  const campaigns = createCampaignBatcher({
    store: (batch) => acceptCampaigns(db, batch),
    deadlineMs: pushDeadlineMs,
  });
  const campaignQueue = createCampaignQueue(
    createGroupCommit(producer, { topic: TOPICS.campaigns, ...QUEUE_BOUNDS }),
    logger,
  );
  return {
    campaigns,
    campaignQueue,
    async drain() {
      await campaigns.drain();
      await campaignQueue.drain();
    },
  };
}
