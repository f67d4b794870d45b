import type { KeyCache, KeyUses, Rates, WrongKeys } from '@tidings/access';
import type { GroupCommit } from '@tidings/bus';
import type { Admission } from '@tidings/http/admission';
import type { Clock, Ids, Logger, LoopLag } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { CampaignQueue, CampaignBatcher } from '@tidings/campaign-intake';
import type { GatewayPath, GatewayRate } from './access/gateway-path.ts';
import type { RejectionLog } from './rejections/rejection-log.ts';

/** Dependencies of the gateway's routes; `service.ts` creates the real ones. */
export type GatewayDependencies = {
  readonly keys: KeyCache;
  readonly keyUses: Pick<KeyUses, 'note'>;
  readonly wrongKeys: WrongKeys;
  readonly rates: Rates<GatewayRate>;
  /** Networks whose `X-Forwarded-For` and `X-Forwarded-Proto` headers are trusted. */
  readonly trustedProxies: readonly string[];
  /** Whether requests that reached a trusted proxy over plain HTTP are rejected. */
  readonly isHttpsOnly: boolean;
  readonly ingest: Pick<GroupCommit, 'append'>;
  readonly campaigns: Pick<CampaignBatcher, 'accept'>;
  readonly campaignQueue: Pick<CampaignQueue, 'enqueue'>;
  /** For how many days messages are kept. */
  readonly deliveryRetentionDays: number;
  readonly db: Database;
  /**
   * Separate admission per path: batches hold their memory while Kafka stalls, and campaigns do not
   * need Kafka.
   */
  readonly admissions: Readonly<Record<GatewayPath, Admission>>;
  readonly lag: LoopLag;
  /** Deadline of a batch, counted from its arrival. */
  readonly ingestDeadlineMs: number;
  /** A browser that opens `/` is redirected here; empty: it gets 405. */
  readonly dashboardUrl: string;
  readonly rejections: Pick<RejectionLog, 'note'>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
};
