import { kafkaBusFrom } from '@tidings/bus';
import { EVENT_KINDS } from '@tidings/contracts';
import { recountEvents } from '@tidings/events/retention/recount-events';
import { startIngestConsumer } from '@tidings/ingest-consumer';
import { repeat, type Service, type ServiceContext } from '@tidings/platform';
import { databaseFrom } from '@tidings/postgres/database';
import { readDatabaseTime } from '@tidings/postgres/database-time';
import { untilMigrated } from '@tidings/postgres/schema-version';
import { applyEventMessages } from './apply-event-messages.ts';
import type { EventsConsumerConfig } from './config.ts';
import { assertRetention, runRetention } from './retention.ts';

/** After an upgrade older events are counted by time in steps of this many. */
const RECOUNT = { everyMs: 60_000, events: 5_000 } as const;

export async function startEventsConsumer(
  config: EventsConsumerConfig,
  ctx: ServiceContext,
): Promise<Service> {
  assertRetention(config);
  const { logger, clock, end } = ctx;
  const bus = kafkaBusFrom(config, { service: 'events-consumer', logger, onWedged: end });
  const db = databaseFrom(config, 'events-consumer');
  await untilMigrated(db, logger);

  // Before the consumer: it needs no Kafka, and makes the partitions that the consumer needs.
  const stopping = new AbortController();
  // Replicas that were started together do not stay together.
  const intervalMs = config.retentionIntervalMs * (0.8 + 0.4 * Math.random());
  const retaining = repeat(
    intervalMs,
    async () => {
      // What one of two clocks calls young is not deleted.
      const nowMs = Math.min(clock.now(), await readDatabaseTime(db));
      await runRetention({ db, logger, signal: stopping.signal, options: config, nowMs });
    },
    {
      signal: stopping.signal,
      onError: (error) =>
        logger.warn({ err: error }, 'retention failed, the next pass tries again'),
    },
  );
  const recounting = repeat(
    RECOUNT.everyMs,
    async () => {
      while (!stopping.signal.aborted && (await recountEvents(db, { limit: RECOUNT.events })));
    },
    {
      signal: stopping.signal,
      onError: (error) =>
        logger.warn(
          { err: error },
          'older events could not be counted by time, the next pass tries again',
        ),
    },
  );

  const consumer = await startIngestConsumer(
    { bus, db, ...ctx },
    { consumer: 'events', group: 'events-consumer', kinds: EVENT_KINDS, apply: applyEventMessages },
  );
  return {
    ...consumer,
    async stopIntake() {
      stopping.abort();
      await Promise.all([consumer.stopIntake(), retaining, recounting]);
    },
  };
}
