import { createLogger } from '@tidings/platform';
import { prepareStores, startStack, type Stack } from '@tidings/local';
import { makeTestHome } from './test-home.ts';

let running: { stack: Stack; discard: () => void } | undefined;

/**
 * Starts one Postgres, Kafka and Redis for all integration tests of a run, migrated and with
 * topics. Tests get the URLs from the environment.
 */
export async function startIntegrationStack(): Promise<void> {
  const { home, discard } = await makeTestHome('integration');
  const stack = await startStack({
    home,
    env: process.env,
    isDurable: false,
    hasUsualPorts: false,
  });
  running = { stack, discard };
  try {
    await prepareStores(stack, { logger: createLogger('test', 'error') });
  } catch (error) {
    await stopIntegrationStack();
    throw error;
  }
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
