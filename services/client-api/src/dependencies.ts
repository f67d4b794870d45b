import type { Access } from '@tidings/access';
import type { Clock, Ids, IdSigner, Logger, SecretBox } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { Outcomes } from './inbox/outcomes.ts';
import type { WaitingRoom } from './inbox/waiting-room.ts';
import type { LinkReader } from './links/link-reader.ts';
import type { Visits } from './links/visits.ts';
import type { SdkRate } from './sdk/entrance.ts';

/** What the routes work with; `service.ts` wires the real ones. */
export type ClientApiDependencies = {
  readonly db: Database;
  /** Who may call `/sdk/v1`. */
  readonly access: Omit<Access<SdkRate>, 'close'>;
  /** Whether what came to trusted proxies by plain HTTP is kept out. */
  readonly isHttpsOnly: boolean;
  readonly box: SecretBox;
  /** Whether an address is of a push service that is known. */
  readonly isPushEndpoint: (endpoint: string) => boolean;
  /** Opens the ids in the addresses of status callbacks. */
  readonly signer: IdSigner;
  /** Opens the links of mails. */
  readonly links: LinkReader;
  /** Where visits of them are noted. */
  readonly visits: Visits;
  /** Where devices wait for messages. */
  readonly waitingRoom: WaitingRoom;
  /** A device of this user is another's now: has all replicas look at the connections that they know as the user's. */
  readonly onUserLeft: (userId: string) => void;
  /** Takes what becomes known of deliveries. */
  readonly outcomes: Outcomes;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Without a slash at the end. */
  readonly publicBaseUrl: string;
};
