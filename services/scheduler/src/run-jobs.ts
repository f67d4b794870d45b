import { createWakeUp, Counter, Gauge, Histogram, repeat } from '@tidings/platform';
import { createPass, type Job, type JobContext } from './job.ts';

// Not `job`: Prometheus uses that label for the scraped process.
const labelNames = ['job_name'] as const;
const durationSeconds = new Histogram({
  name: 'tidings_job_duration_seconds',
  help: 'Duration of a pass of a job, successful or failed.',
  labelNames,
  buckets: [0.01, 0.1, 1, 10, 60, 600],
});
const failuresTotal = new Counter({
  name: 'tidings_job_failures_total',
  help: 'Passes of a job that ended with an error.',
  labelNames,
});
const lastSuccess = new Gauge({
  name: 'tidings_job_last_success_timestamp_seconds',
  help: 'Time when a pass of a job last ended without an error.',
  labelNames,
});

/**
 * Runs each job in its own loop until `signal` aborts. Resolves when the current passes have ended.
 */
export async function runJobs(jobs: readonly Job[], tools: JobContext): Promise<void> {
  await Promise.all(jobs.map((job) => runJob(job, tools)));
}

async function runJob(job: Job, tools: JobContext): Promise<void> {
  const { logger, signal } = tools;
  const intervalMs = addJitter(job.intervalMs);
  failuresTotal.inc({ job_name: job.name }, 0);
  if (job.startsLate === true) await createWakeUp().wait(intervalMs, signal);
  await repeat(intervalMs, () => runPass(job, tools), {
    signal,
    onError(error) {
      failuresTotal.inc({ job_name: job.name });
      logger.warn({ err: error, work: job.name }, 'job failed; the next pass tries again');
    },
  });
}

async function runPass(job: Job, tools: JobContext): Promise<void> {
  const ended = durationSeconds.startTimer({ job_name: job.name });
  try {
    await job.run(createPass(job.bound, tools));
  } finally {
    ended();
  }
  lastSuccess.setToCurrentTime({ job_name: job.name });
}

/** Up to 20 % longer, so that replicas that start together drift apart. */
export function addJitter(intervalMs: number, random: () => number = Math.random): number {
  return intervalMs * (1 + 0.2 * random());
}
