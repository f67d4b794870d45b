import type { Producer } from '@tidings/bus';
import type { Database } from '@tidings/db';
import type { Clock, Ids, Logger, SecretBox } from '@tidings/platform';

/** What the routes work with; `service.ts` wires the real ones. */
export type DashboardDependencies = {
  readonly db: Database;
  /** For replays of dead letters. */
  readonly producer: Producer;
  readonly box: SecretBox;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Networks whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  readonly testSendTimeoutMs: number;
  /** Tells the gateways that keys of this application changed. */
  readonly announceKeyChange: (applicationId: string) => Promise<void>;
};
