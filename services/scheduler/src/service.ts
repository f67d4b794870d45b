import type { Service, ServiceContext, ServiceDefinition } from '@tidings/platform';
import { databaseFrom } from '@tidings/postgres/database';
import { untilMigrated } from '@tidings/postgres/schema-version';
import { allJobs } from './all-jobs.ts';
import { schedulerConfig, type SchedulerConfig } from './config.ts';
import { runJobs } from './run-jobs.ts';

export const service = {
  name: 'scheduler',
  config: schedulerConfig,
  start: startScheduler,
} satisfies ServiceDefinition<typeof schedulerConfig>;

async function startScheduler(
  config: SchedulerConfig,
  { logger, clock, shared }: Pick<ServiceContext, 'logger' | 'clock' | 'shared'>,
): Promise<Service> {
  const jobs = allJobs(config);
  const db = databaseFrom(config, 'scheduler', { shared });
  await untilMigrated(db, logger);
  const stopping = new AbortController();
  const running = runJobs(jobs, { db, clock, logger, signal: stopping.signal });
  return {
    async stopIntake() {
      stopping.abort();
      await running;
    },
    disconnect: () => db.close(),
  };
}
