import { systemClock } from '@tidings/platform';
import { createRecordingLogger } from '@tidings/testing';
import { openPass, type Job, type Tools } from '../job.ts';

/** One pass of a job, as the scheduler runs it. */
export function runOnce(
  job: Job,
  {
    logger = createRecordingLogger().logger,
    clock = systemClock,
    signal = new AbortController().signal,
    ...tools
  }: Pick<Tools, 'db'> & Partial<Tools>,
): Promise<void> {
  return job.run(openPass(job.bound, { logger, clock, signal, ...tools }));
}
