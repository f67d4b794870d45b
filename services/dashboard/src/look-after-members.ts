import { welcomeUrl } from '@tidings/contracts';
import { forgetExpired, issueFirstLink, type Database } from '@tidings/db';
import { repeat, type Clock, type Logger } from '@tidings/platform';

const EVERY_MS = 600_000;
const DAY_MS = 86_400_000;

type Looking = { readonly db: Database; readonly clock: Clock; readonly logger: Logger; readonly dashboardUrl: string };

/**
 * Deletes what has expired of sessions and links, every ten minutes until `signal` aborts; and while there is no owner, tells
 * in the log the link by which one is made: at the start, and again each day, when the one before has expired.
 */
export function lookAfterMembers({ signal, ...looking }: Looking & { readonly signal: AbortSignal }): Promise<void> {
  const { db, clock, logger } = looking;
  let tellAt = 0;
  return repeat(
    EVERY_MS,
    async () => {
      const nowMs = clock.now();
      if (nowMs >= tellAt) {
        await tellFirstLink(looking);
        tellAt = nowMs + DAY_MS;
      }
      await forgetExpired(db, nowMs);
    },
    { signal, onError: (error) => logger.warn({ err: error }, 'expired sessions not deleted, the next pass tries again') },
  );
}

/** The one secret that is ever logged: whoever installs this has no other way in, and it is worth nothing once it was used. */
async function tellFirstLink({ db, clock, logger, dashboardUrl }: Looking): Promise<void> {
  const token = await issueFirstLink(db, clock.now());
  if (token !== null) logger.warn({ welcomeUrl: welcomeUrl(dashboardUrl, token) }, 'nobody owns this installation yet: who opens this link first, within a day, will');
}
