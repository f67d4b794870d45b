import { forgetExpired } from '@tidings/accounts/members/forget-expired';
import { repeat, type Clock, type Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';

const EVERY_MS = 600_000;

type Looking = { readonly db: Database; readonly clock: Clock; readonly logger: Logger };

/** Deletes expired sessions and links every ten minutes, until `signal` aborts. */
export function lookAfterMembers({
  db,
  clock,
  logger,
  signal,
}: Looking & { readonly signal: AbortSignal }): Promise<void> {
  const purge = async (): Promise<void> => {
    await forgetExpired(db, clock.now());
  };
  return repeat(EVERY_MS, purge, {
    signal,
    onError: (error) =>
      logger.warn({ err: error }, 'expired sessions not deleted, the next pass tries again'),
  });
}
