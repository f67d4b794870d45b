import { openBus } from '@tidings/bus';
import { EVENT_KINDS } from '@tidings/contracts/ingest/ingest';
import { startIngestConsumer } from '@tidings/ingest-consumer';
import type { Service, ServiceContext, ServiceDefinition } from '@tidings/platform';
import { databaseFrom } from '@tidings/postgres/database';
import { untilMigrated } from '@tidings/postgres/schema-version';
import { applyEventMessages } from './apply-event-messages.ts';
import { eventsConsumerConfig, type EventsConsumerConfig } from './config.ts';

export const service = {
  name: 'events-consumer',
  config: eventsConsumerConfig,
  start: startEventsConsumer,
} satisfies ServiceDefinition<typeof eventsConsumerConfig>;

async function startEventsConsumer(
  config: EventsConsumerConfig,
  ctx: ServiceContext,
): Promise<Service> {
  const { logger, shared, end } = ctx;
  const db = databaseFrom(config, 'events-consumer', { shared });
  await untilMigrated(db, logger);
  const bus = openBus(config, { service: 'events-consumer', logger, shared, db, onBroken: end });
  return startIngestConsumer(
    { bus, db, ...ctx },
    { consumer: 'events', group: 'events-consumer', kinds: EVENT_KINDS, apply: applyEventMessages },
  );
}
