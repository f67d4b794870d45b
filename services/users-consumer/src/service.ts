import { openBus } from '@tidings/bus';
import { startIngestConsumer } from '@tidings/ingest-consumer';
import type { Service, ServiceContext, ServiceDefinition } from '@tidings/platform';
import { databaseFrom } from '@tidings/postgres/database';
import { untilMigrated } from '@tidings/postgres/schema-version';
import { applyUserMessages } from './apply-user-messages.ts';
import { usersConsumerConfig, type UsersConsumerConfig } from './config.ts';

export const service = {
  name: 'users-consumer',
  config: usersConsumerConfig,
  start: startUsersConsumer,
} satisfies ServiceDefinition<typeof usersConsumerConfig>;

async function startUsersConsumer(
  config: UsersConsumerConfig,
  ctx: ServiceContext,
): Promise<Service> {
  const { logger, shared, end } = ctx;
  const db = databaseFrom(config, 'users-consumer', { shared });
  await untilMigrated(db, logger);
  const bus = openBus(config, { service: 'users-consumer', logger, shared, db, onBroken: end });
  return startIngestConsumer(
    { bus, db, ...ctx },
    { consumer: 'users', group: 'users-consumer', kinds: ['user'], apply: applyUserMessages },
  );
}
