import type { STORES } from '@tidings/api-spec/endpoints/overview';
import type { Rates, WrongKeys } from '@tidings/access';
import type { Producer } from '@tidings/bus';
import type { LocalRate } from '@tidings/coordination';
import type { Admission } from '@tidings/http/admission';
import type { Clock, Ids, Logger, SecretBox } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { Questions } from '@tidings/segments/questions';
import type { CampaignQueue, CampaignBatcher } from '@tidings/campaign-intake';
import type { LiveHub } from './live/live-hub.ts';
import type { IngestLag } from './overview/ingest-lag.ts';
import type { FailedSignIns } from './auth/failed-sign-ins.ts';
import type { IdentityProvider } from './auth/identity-provider.ts';
import type { Passwords } from './auth/passwords.ts';
import type { InTime } from './queries/search/in-time.ts';

/** Dependencies of the routes. `service.ts` creates the real ones. */
export type ApiDependencies = {
  readonly db: Database;
  /** Questions about users of an application. */
  readonly questions: Questions;
  /** For replays of dead letters. */
  readonly producer: Producer;
  /** Stores campaigns, and hands them to the campaigns service. */
  readonly campaigns: Pick<CampaignBatcher, 'accept'>;
  readonly campaignQueue: Pick<CampaignQueue, 'enqueue'>;
  /** Bounds the memory of push requests in flight. */
  readonly admission: Admission;
  /** Rate limit of push requests, shared with the gateway. */
  readonly rates: Rates<'push'>;
  /** Slows down callers that guess keys, tokens or sessions. */
  readonly wrongKeys: WrongKeys;
  /** The rate limit per key, token or session, in this process; undefined when disabled. */
  readonly callerRateOf: (caller: string) => LocalRate | undefined;
  /** The rate of questions about few users, per key, token or member; undefined when disabled. */
  readonly questionRateOf: (caller: string) => LocalRate | undefined;
  readonly box: SecretBox;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted. */
  readonly trustedProxies: readonly string[];
  /** Whether to reject requests that reached these proxies over plain HTTP. */
  readonly isHttpsOnly: boolean;
  readonly testSendTimeoutMs: number;
  /** Bounds the work of searches. */
  readonly inTime: InTime;
  /** For how many days messages are kept. */
  readonly deliveryRetentionDays: number;
  readonly passwords: Passwords;
  readonly failedSignIns: Pick<FailedSignIns, 'record'>;
  /** The dashboard URL without a trailing slash. */
  readonly dashboardUrl: string;
  /** Address of the installation in the samples of `/docs`, without a slash at its end. */
  readonly publicBaseUrl: string;
  /** The folder of the built dashboard; it may not exist. */
  readonly pagesDir: string;
  /** OpenID Connect sign-in; null if not configured. */
  readonly identityProvider: IdentityProvider | null;
  /** Streams of live data. */
  readonly live: LiveHub;
  /** The Kafka lag of the ingest consumers; null while Kafka does not respond. */
  readonly readIngestLag: () => Promise<IngestLag | null>;
  /** What the installation runs on, for the dashboard. */
  readonly runsOn: (typeof STORES)[number][];
  /** Tells the gateways that keys of this application changed. */
  readonly publishKeyChange: (applicationId: string) => Promise<void>;
};
