import { systemClock } from '@tidings/platform';
import { createRecordingLogger } from '@tidings/testing';
import { createPass, type Job, type JobContext } from '../job.ts';

/** One pass of a job, like the scheduler runs it. */
export function runOnce(
  job: Job,
  {
    logger = createRecordingLogger().logger,
    clock = systemClock,
    signal = new AbortController().signal,
    ...tools
  }: Pick<JobContext, 'db'> & Partial<JobContext>,
): Promise<void> {
  return job.run(createPass(job.bound, { logger, clock, signal, ...tools }));
}
