import { noteLinkVisits, type LinkVisit } from '@tidings/delivery/link-visits';
import { Counter, createMicroBatcher, type Logger } from '@tidings/platform';
import { dataErrorState, type Database } from '@tidings/postgres/database';

const visitsTotal = new Counter({
  name: 'tidings_link_visits_total',
  help: 'Opened mails and followed links; lost are those that Postgres was not there for.',
  labelNames: ['kind', 'result'] as const,
});

const VISITS_PER_STATEMENT = 200;
/** While Postgres is away, no more than these wait for it: nobody is kept from where a link leads. */
const WAITING_MAX = 5_000;

/** Notes visits behind the answers to them. */
export interface Visits {
  note(visit: LinkVisit): void;
  /** Resolves when all are noted, or lost. */
  drain(): Promise<void>;
}

export function createVisits({
  db,
  logger,
}: {
  readonly db: Database;
  readonly logger: Logger;
}): Visits {
  const batcher = createMicroBatcher<LinkVisit, undefined>({
    async run(visits) {
      await noteLinkVisits(db, visits);
      return visits.map(() => undefined);
    },
    isOwnFault: (error) => dataErrorState(error) !== undefined,
    itemsMax: VISITS_PER_STATEMENT,
  });
  return {
    note(visit) {
      const { kind } = visit;
      if (batcher.waiting() >= WAITING_MAX) {
        visitsTotal.inc({ kind, result: 'lost' });
        return;
      }
      batcher.add(visit).then(
        () => visitsTotal.inc({ kind, result: 'noted' }),
        (error: unknown) => {
          visitsTotal.inc({ kind, result: 'lost' });
          logger.warn({ err: error, kind }, 'visit of a link not noted');
        },
      );
    },
    drain: () => batcher.drain(),
  };
}
