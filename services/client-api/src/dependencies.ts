import type { Access } from '@tidings/access';
import type { Clock, Ids, IdSigner, Logger, SecretBox } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { DeliveryUpdates } from './inbox/delivery-updates.ts';
import type { InboxSubscriptions } from './inbox/inbox-subscriptions.ts';
import type { LinkReader } from './links/link-reader.ts';
import type { LinkHits } from './links/link-hits.ts';
import type { SdkRate } from './sdk/sdk-guard.ts';

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
  readonly linkHits: LinkHits;
  /** Where devices wait for messages. */
  readonly inboxSubscriptions: InboxSubscriptions;
  /** A device of this user is another's now: has all replicas look at the connections that they know as the user's. */
  readonly recheckSubscriptions: (userId: string) => void;
  /** Takes what becomes known of deliveries. */
  readonly deliveryUpdates: DeliveryUpdates;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Without a slash at the end. */
  readonly publicBaseUrl: string;
};
