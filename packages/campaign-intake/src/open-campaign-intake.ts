import { createGroupCommit, type Producer } from '@tidings/bus';
import type { Rate } from '@tidings/contracts/limits';
import { TOPICS } from '@tidings/contracts/topics';
import { acceptCampaigns } from '@tidings/delivery/accept';
import { DELIVERY_RETENTION_DAYS } from '@tidings/delivery/retention-config';
import { integer, type ConfigOf, type ConfigSpec, type Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { createCampaignQueue, type CampaignQueue } from './campaign-queue.ts';
import { createCampaignBatcher, type CampaignBatcher } from './campaign-batcher.ts';

/** Settings of services that accept campaigns. */
export const pushConfig = {
  // Of the scheduler. Who sends to a segment learns of a condition that looks further back.
  deliveryRetentionDays: DELIVERY_RETENTION_DAYS,
  pushDeadlineMs: integer(
    'PUSH_DEADLINE_MS',
    'Time until a campaign that Postgres has not stored is answered 503.',
    { default: 5_000, min: 100 },
  ),
  ratePushPerSecond: integer(
    'RATE_PUSH_PER_SECOND',
    'Requests per second to /push and POST /api/v1/campaigns, together, that an application may send. 0: no limit.',
    { default: 50 },
  ),
  ratePushBurst: integer('RATE_PUSH_BURST', 'Burst size of RATE_PUSH_PER_SECOND.', {
    default: 100,
    min: 1,
  }),
} as const satisfies ConfigSpec;
type PushConfig = ConfigOf<typeof pushConfig>;

export function readPushRate({ ratePushPerSecond, ratePushBurst }: PushConfig): Rate {
  return { perSecond: ratePushPerSecond, burst: ratePushBurst };
}

/** Stores campaigns and queues them for the campaigns service. */
export type CampaignIntake = {
  readonly campaigns: CampaignBatcher;
  readonly campaignQueue: CampaignQueue;
  /** Resolves when no work is in progress. */
  drain(): Promise<void>;
};

/**
 * Bounds of one produce call. Records are small; a sweep of the campaigns service finds a campaign
 * whose record is late.
 */
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
    store: (newCampaigns) => acceptCampaigns(db, newCampaigns),
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
