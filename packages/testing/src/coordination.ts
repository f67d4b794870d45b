import { openCoordination, type Coordination } from '@tidings/coordination';
import {
  createShared,
  readEnvironment,
  systemClock,
  systemIds,
  type ServiceContext,
} from '@tidings/platform';
import { testDatabaseUrl } from './database.ts';
import { createRecordingLogger } from './logger.ts';

/** Opens the coordination of one more process, through the Redis of the integration tests. */
export function openTestCoordination({
  redisUrl = readEnvironment()['REDIS_URL'] ?? '',
  clock = systemClock,
}: Partial<Pick<ServiceContext, 'clock'>> & {
  readonly redisUrl?: string;
} = {}): Promise<Coordination> {
  if (redisUrl === '') throw new Error('REDIS_URL is missing: `npm test` sets it');
  return openCoordination(
    { redisUrl, redisProtocol: 3, databaseUrl: testDatabaseUrl() },
    {
      logger: createRecordingLogger().logger,
      clock,
      ids: systemIds,
      shared: createShared(),
      end: () => undefined,
    },
    'test',
  );
}
