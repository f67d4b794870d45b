import { kafkaBusFrom } from '@tidings/bus';
import { databaseFrom } from '@tidings/db';
import { startIngestConsumer } from '@tidings/ingest-consumer';
import type { Service, ServiceContext } from '@tidings/platform';
import { applyUserMessages } from './apply-user-messages.ts';
import type { UsersConsumerConfig } from './config.ts';

export function startUsersConsumer(config: UsersConsumerConfig, ctx: ServiceContext): Promise<Service> {
  const bus = kafkaBusFrom(config, { service: 'users-consumer', logger: ctx.logger });
  const db = databaseFrom(config, 'users-consumer');
  return startIngestConsumer(
    { bus, db, ...ctx },
    { consumer: 'users', group: 'users-consumer', kinds: ['user'], apply: applyUserMessages },
  );
}
