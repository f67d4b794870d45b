import { recordLinkHits, type LinkHit } from '@tidings/delivery/link-hits';
import { Counter, createMicroBatcher, type Logger } from '@tidings/platform';
import { dataErrorState, type Database } from '@tidings/postgres/database';

const linkHitsTotal = new Counter({
  name: 'tidings_link_hits_total',
  help: 'Opened mails and followed links; lost are those that Postgres was not there for.',
  labelNames: ['kind', 'result'] as const,
});

const HITS_PER_STATEMENT = 200;
/** While Postgres is away, no more than these wait for it: nobody is kept from where a link leads. */
const WAITING_MAX = 5_000;

/** Notes visits behind the answers to them. */
export interface LinkHits {
  record(visit: LinkHit): void;
  /** Resolves when all are noted, or lost. */
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
          logger.warn({ err: error, kind }, 'visit of a link not noted');
        },
      );
    },
    drain: () => batcher.drain(),
  };
}
