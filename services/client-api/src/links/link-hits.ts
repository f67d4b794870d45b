import { recordLinkHits, type LinkHit } from '@tidings/link-hits/link-hits';
import { Counter, createMicroBatcher, type Logger } from '@tidings/platform';
import { dataErrorState, type Database } from '@tidings/postgres/database';

const linkHitsTotal = new Counter({
  name: 'tidings_link_hits_total',
  help: 'Opened e-mails and clicked links. result="lost": not stored, because Postgres was unavailable.',
  labelNames: ['kind', 'result'] as const,
});

const HITS_PER_STATEMENT = 200;
/**
 * Maximum queued hits while Postgres is unavailable. Further hits are lost: the redirect must not
 * wait.
 */
const WAITING_MAX = 5_000;

/** Records opens and clicks in the background, after the response. */
export interface LinkHits {
  record(visit: LinkHit): void;
  /** Resolves when all queued hits are stored or lost. */
  drain(): Promise<void>;
}

export function createLinkHits({
  db,
  logger,
}: {
  readonly db: Database;
  readonly logger: Logger;
}): LinkHits {
  const batcher = createMicroBatcher<LinkHit, undefined>({
    async run(visits) {
      await recordLinkHits(db, visits);
      return visits.map(() => undefined);
    },
    isOwnFault: (error) => dataErrorState(error) !== undefined,
    itemsMax: HITS_PER_STATEMENT,
  });
  return {
    record(visit) {
      const { kind } = visit;
      if (batcher.waiting() >= WAITING_MAX) {
        linkHitsTotal.inc({ kind, result: 'lost' });
        return;
      }
      batcher.add(visit).then(
        () => linkHitsTotal.inc({ kind, result: 'noted' }),
        (error: unknown) => {
          linkHitsTotal.inc({ kind, result: 'lost' });
          logger.warn({ err: error, kind }, 'link hit not recorded');
        },
      );
    },
    drain: () => batcher.drain(),
  };
}
