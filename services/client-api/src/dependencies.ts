import type { Database } from '@tidings/db';
import type { Ids, IdSigner, Logger, SecretBox } from '@tidings/platform';

/** What the routes work with; `service.ts` wires the real ones. */
export type ClientApiDependencies = {
  readonly db: Database;
  readonly box: SecretBox;
  /** Opens the ids in the addresses of status callbacks. */
  readonly signer: IdSigner;
  readonly logger: Logger;
  readonly ids: Ids;
  /** Without a slash at the end. */
  readonly publicBaseUrl: string;
};
