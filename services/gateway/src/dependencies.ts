import type { GroupCommit } from '@tidings/bus';
import type { Database } from '@tidings/db';
import type { Clock, Ids, Logger } from '@tidings/platform';
import type { Admission } from './admission.ts';
import type { KeyCache } from './auth/key-cache.ts';
import type { Announcer } from './routes/push/announcer.ts';

/** What the gateway's routes work with; `service.ts` wires the real ones. */
export type GatewayDependencies = {
  readonly keys: KeyCache;
  readonly ingest: Pick<GroupCommit, 'append'>;
  readonly announcer: Announcer;
  readonly db: Database;
  readonly admission: Admission;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
};
