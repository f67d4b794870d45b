import type { Access } from '@tidings/access';
import type { Clock, Ids, IdSigner, Logger, SecretBox } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { DeliveryUpdates } from './inbox/delivery-updates.ts';
import type { InboxSubscriptions } from './inbox/inbox-subscriptions.ts';
import type { LinkReader } from './links/link-reader.ts';
import type { LinkHits } from './links/link-hits.ts';
import type { SdkRate } from './sdk/sdk-guard.ts';

/** Dependencies of the routes. `service.ts` creates the real ones. */
export type ClientApiDependencies = {
  readonly db: Database;
  /** Authorizes calls to `/sdk/v1`. */
  readonly access: Omit<Access<SdkRate>, 'close'>;
  /** Whether to reject requests that reached the trusted proxies over plain HTTP. */
  readonly isHttpsOnly: boolean;
  readonly box: SecretBox;
  /** Whether a URL belongs to a known push service. */
  readonly isPushEndpoint: (endpoint: string) => boolean;
  /** Verifies the signed ids in status callback URLs. */
  readonly signer: IdSigner;
  /** Reads the signed links of e-mails. */
  readonly links: LinkReader;
  /** Records opens and clicks of these links. */
  readonly linkHits: LinkHits;
  /** Connections of devices that wait for messages. */
  readonly inboxSubscriptions: InboxSubscriptions;
  /**
   * A device of this user changed to another user: makes all replicas check their subscriptions of
   * this user.
   */
  readonly recheckSubscriptions: (userId: string) => void;
  /** Stores delivery updates that devices report. */
  readonly deliveryUpdates: DeliveryUpdates;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Without a trailing slash. */
  readonly publicBaseUrl: string;
};
