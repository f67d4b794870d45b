import { createLogger } from '@tidings/platform';
import { prepareStores, startStack, type Stack } from '@tidings/local';
import { makeTestHome } from '@tidings/tools/stack/test-home';

let running: { stack: Stack; discard: () => void } | undefined;

/**
 * Starts the stores for all integration tests of a run: Postgres, migrated and with the topics of its
 * log, and Kafka and Redis if this run has them. Tests get the URLs from the environment.
 */
export async function startIntegrationStack(): Promise<void> {
  const { home, discard } = await makeTestHome('integration');
  const without = (process.env['TEST_WITHOUT'] ?? '').split(' ');
  const stack = await startStack({
    home,
    env: process.env,
    isDurable: false,
    hasUsualPorts: false,
    has: { kafka: !without.includes('kafka'), redis: !without.includes('redis') },
  });
  running = { stack, discard };
  try {
    // The same with and without Kafka: a test that needs Kafka makes topics of its own there.
    await prepareStores({ ...stack, bus: 'postgres' }, { logger: createLogger('test', 'error') });
  } catch (error) {
    await stopIntegrationStack();
    throw error;
  }
  process.env['BUS'] = 'postgres';
  process.env['DATABASE_URL'] = stack.databaseUrl;
  process.env['PUBLIC_DATABASE_URL'] = stack.publicDatabaseUrl;
  process.env['KAFKA_BROKERS'] = stack.kafkaBrokers;
  process.env['REDIS_URL'] = stack.redisUrl;
}

export async function stopIntegrationStack(): Promise<void> {
  await running?.stack.stop();
  running?.discard();
  running = undefined;
}
