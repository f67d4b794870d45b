import { EVENT_KINDS } from '@tidings/contracts';
import { kafkaBusFrom } from '@tidings/bus';
import { databaseFrom } from '@tidings/db';
import { startIngestConsumer } from '@tidings/ingest-consumer';
import type { Service, ServiceContext } from '@tidings/platform';
import { applyEventMessages } from './apply-event-messages.ts';
import type { EventsConsumerConfig } from './config.ts';

export function startEventsConsumer(config: EventsConsumerConfig, { logger }: ServiceContext): Promise<Service> {
  const bus = kafkaBusFrom(config, { service: 'events-consumer', logger });
  const db = databaseFrom(config, 'events-consumer');
  return startIngestConsumer(
    { bus, db, logger },
    { consumer: 'events', group: 'events-consumer', kinds: EVENT_KINDS, apply: applyEventMessages },
  );
}
