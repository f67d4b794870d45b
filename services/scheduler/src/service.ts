import type { Service, ServiceContext } from '@tidings/platform';
import { databaseFrom } from '@tidings/postgres/database';
import { untilMigrated } from '@tidings/postgres/schema-version';
import { allJobs } from './all-jobs.ts';
import type { SchedulerConfig } from './config.ts';
import { runJobs } from './run-jobs.ts';

export async function startScheduler(
  config: SchedulerConfig,
  { logger, clock }: Pick<ServiceContext, 'logger' | 'clock'>,
): Promise<Service> {
  const jobs = allJobs(config);
  const db = databaseFrom(config, 'scheduler');
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
