import { createGroupCommit, type Producer } from '@tidings/bus';
import { TOPICS, type Rate } from '@tidings/contracts';
import { acceptCampaigns } from '@tidings/delivery/accept';
import { integer, type ConfigOf, type ConfigSpec, type Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { createAnnouncer, type Announcer } from './announcer.ts';
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
export type Pushes = {
  readonly campaigns: CampaignBatcher;
  readonly announcer: Announcer;
  /** Resolves when nothing is under way. */
  drain(): Promise<void>;
};

/** Announcements are small; whoever is not told of one in time finds the campaign by a sweep. */
const ANNOUNCEMENTS = { recordsMax: 500, bytesMax: 512 * 1024, deadlineMs: 8_000 };

export function openPushes(
  { pushDeadlineMs }: PushConfig,
  {
    db,
    producer,
    logger,
  }: { readonly db: Database; readonly producer: Producer; readonly logger: Logger },
): Pushes {
  const campaigns = createCampaignBatcher({
    store: (batch) => acceptCampaigns(db, batch),
    deadlineMs: pushDeadlineMs,
  });
  const announcer = createAnnouncer(
    createGroupCommit(producer, { topic: TOPICS.campaigns, ...ANNOUNCEMENTS }),
    logger,
  );
  return {
    campaigns,
    announcer,
    async drain() {
      await campaigns.drain();
      await announcer.drain();
    },
  };
}
