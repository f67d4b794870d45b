import type { KeyCache, KeyUses, Rates, WrongKeys } from '@tidings/access';
import type { GroupCommit } from '@tidings/bus';
import type { Admission, Clock, Ids, Logger, LoopLag } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { CampaignQueue, CampaignBatcher } from '@tidings/campaign-intake';
import type { GatewayPath, GatewayRate } from './access/request-guard.ts';
import type { RejectionLog } from './rejections/rejection-log.ts';

/** What the gateway's routes work with; `service.ts` wires the real ones. */
export type GatewayDependencies = {
  readonly keys: KeyCache;
  readonly keyUses: Pick<KeyUses, 'note'>;
  readonly wrongKeys: WrongKeys;
  readonly rates: Rates<GatewayRate>;
  /** Networks whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed. */
  readonly trustedProxies: readonly string[];
  /** Whether what came to these by plain HTTP is kept out. */
  readonly isHttpsOnly: boolean;
  readonly ingest: Pick<GroupCommit, 'append'>;
  readonly campaigns: Pick<CampaignBatcher, 'accept'>;
  readonly campaignQueue: Pick<CampaignQueue, 'enqueue'>;
  readonly db: Database;
  /** One for each path: while Kafka stands still batches keep their room, and campaigns need no Kafka. */
  readonly admissions: Readonly<Record<GatewayPath, Admission>>;
  readonly lag: LoopLag;
  /** From its arrival a batch is answered within this. */
  readonly ingestDeadlineMs: number;
  /** A browser that opens `/` is redirected here; empty: it gets 405. */
  readonly dashboardUrl: string;
  readonly rejections: Pick<RejectionLog, 'note'>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
};
