import { jest } from '@jest/globals';
import { createLogger, readEnvironment } from '@tidings/platform';
import { testBus } from './bus.conformance.ts';
import type { Bus } from './bus.ts';
import { createPostgresBus, type PostgresBusSettings } from './postgres-bus.ts';

jest.setTimeout(30_000);

function createBus(own: Partial<PostgresBusSettings> = {}): Bus {
  return createPostgresBus({
    databaseUrl: readEnvironment()['DATABASE_URL'] ?? '',
    applicationName: 'bus-test',
    logger: createLogger('bus-test', 'error'),
    requestTimeoutMs: 5_000,
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 10_000,
    heartbeatIntervalMs: 500,
    handlerStallMs: 60_000,
    ...own,
  });
}

// Topics are rows of the test's own database.
testBus(
  'the Postgres bus',
  () => createBus(),
  () => Promise.resolve(),
);
