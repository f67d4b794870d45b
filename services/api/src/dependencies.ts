import type { Rates, WrongKeys } from '@tidings/access';
import type { Producer } from '@tidings/bus';
import type { Admission, Clock, Ids, Logger, SecretBox } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { CampaignQueue, CampaignBatcher } from '@tidings/campaign-intake';
import type { LocalRate } from '@tidings/redis';
import type { LiveHub } from './live/live-hub.ts';
import type { IngestLag } from './overview/ingest-lag.ts';
import type { FailedSignIns } from './auth/failed-sign-ins.ts';
import type { IdentityProvider } from './auth/identity-provider.ts';
import type { Passwords } from './auth/passwords.ts';

/** What the routes work with; `service.ts` wires the real ones. */
export type ApiDependencies = {
  readonly db: Database;
  /** For replays of dead letters. */
  readonly producer: Producer;
  /** What stores campaigns, and tells of them. */
  readonly campaigns: Pick<CampaignBatcher, 'accept'>;
  readonly campaignQueue: Pick<CampaignQueue, 'enqueue'>;
  /** Bounds the memory of pushes in work, */
  readonly admission: Admission;
  /** and how many an application may send, here and at the gateway together. */
  readonly rates: Rates<'push'>;
  /** Slows down callers who guess keys, tokens and sessions. */
  readonly wrongKeys: WrongKeys;
  /** The rate of one key, token or session, in this process; undefined where it is off. */
  readonly callerRateOf: (caller: string) => LocalRate | undefined;
  readonly box: SecretBox;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Networks whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed. */
  readonly trustedProxies: readonly string[];
  /** Whether what came to these by plain HTTP is kept out. */
  readonly isHttpsOnly: boolean;
  readonly testSendTimeoutMs: number;
  readonly passwords: Passwords;
  readonly failedSignIns: Pick<FailedSignIns, 'record'>;
  /** Where people reach the pages, without a slash at its end. */
  readonly dashboardUrl: string;
  /** Address of the installation in the samples of `/docs`, without a slash at its end. */
  readonly publicBaseUrl: string;
  /** The folder of the built pages; it need not be there. */
  readonly pagesDir: string;
  /** The way in by the identity provider; null without one. */
  readonly identityProvider: IdentityProvider | null;
  /** Streams of live data. */
  readonly live: LiveHub;
  /** How far the consumers are behind; null while Kafka does not say. */
  readonly readIngestLag: () => Promise<IngestLag | null>;
  /** Tells the gateways that keys of this application changed. */
  readonly publishKeyChange: (applicationId: string) => Promise<void>;
};
