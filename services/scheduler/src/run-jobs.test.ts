import { describe, expect, test } from '@jest/globals';
import { metricsRegistry, systemClock } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { createRecordingLogger, eventually } from '@tidings/testing';
import type { Job, JobContext } from './job.ts';
import { runJobs, addJitter } from './run-jobs.ts';

/** The jobs of these tests need no database. */
const db = {} as Database;

const jobOf = (name: string, run: Job['run'], more: Partial<Job> = {}): Job => ({
  name,
  intervalMs: 1,
  bound: { itemsPerStep: 10, stepsMax: 3 },
  replicaMode: 'repeat',
  run,
  ...more,
});

function start(jobs: readonly Job[], tools: Partial<JobContext> = {}) {
  const { logger, lines } = createRecordingLogger();
  const stopping = new AbortController();
  const running = runJobs(jobs, {
    db,
    clock: systemClock,
    logger,
    signal: stopping.signal,
    ...tools,
  });
  return {
    lines,
    running,
    stop: () => stopping.abort(),
    async end() {
      stopping.abort();
      await running;
    },
  };
}

/** The value of a metric for a job, or undefined. */
async function valueOf(metric: string, name: string): Promise<number | undefined> {
  const { values } = (await metricsRegistry.getSingleMetric(metric)?.get()) ?? { values: [] };
  return values.find(({ labels }) => (labels as { job_name?: string }).job_name === name)?.value;
}
const failuresOf = (name: string) => valueOf('tidings_job_failures_total', name);
const lastSuccessOf = (name: string) => valueOf('tidings_job_last_success_timestamp_seconds', name);

describe('jobs', () => {
  test('a failing job is counted and logged, runs again, and stops no other', async () => {
    let passes = 0;
    let others = 0;
    const scheduler = start([
      jobOf('fails-at-first', async () => {
        passes += 1;
        if (passes < 3) throw new Error(`failure ${passes}`);
      }),
      jobOf('always-fails', () => Promise.reject(new Error('again'))),
      jobOf('works', async () => void (others += 1)),
    ]);

    await eventually(() => expect(Math.min(passes, others)).toBeGreaterThanOrEqual(4));
    await scheduler.end();

    expect(await failuresOf('fails-at-first')).toBe(2);
    expect(await failuresOf('works')).toBe(0);
    expect(await lastSuccessOf('fails-at-first')).toBeGreaterThan(1_700_000_000);
    expect(await lastSuccessOf('always-fails')).toBeUndefined();
    expect(scheduler.lines.filter(({ work }) => work === 'fails-at-first')).toMatchObject([
      { msg: 'job failed; the next pass tries again', level: 'warn' },
      { msg: 'job failed; the next pass tries again', level: 'warn' },
    ]);
    const durations = await metricsRegistry.getSingleMetricAsString('tidings_job_duration_seconds');
    expect(durations).toContain(`_count{job_name="fails-at-first"} ${passes}\n`);
  });

  test('a stop lets the current step finish, begins no other, and is no failure', async () => {
    const log: string[] = [];
    const [stepBegun, stepMayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const scheduler = start([
      jobOf('stopped', ({ inSteps }) =>
        inSteps(async () => {
          log.push('begun');
          stepBegun.resolve();
          await stepMayEnd.promise;
          log.push('ended');
          return true;
        }),
      ),
    ]);
    const stopped = scheduler.running.then(() => log.push('stopped'));

    await stepBegun.promise;
    scheduler.stop();
    stepMayEnd.resolve();
    await stopped;

    expect(log).toEqual(['begun', 'ended', 'stopped']);
    expect(await failuresOf('stopped')).toBe(0);
    expect(await lastSuccessOf('stopped')).toBeUndefined();
    expect(scheduler.lines).toEqual([]);
  });

  test('a stop ends the wait for the next pass, and for the first one of a job that starts late', async () => {
    let late = 0;
    let early = 0;
    const scheduler = start([
      jobOf('late', async () => void (late += 1), { intervalMs: 3_600_000, startsLate: true }),
      jobOf('early', async () => void (early += 1), { intervalMs: 3_600_000 }),
    ]);
    await eventually(() => expect(early).toBe(1));

    scheduler.stop();
    await scheduler.running;

    expect([early, late]).toEqual([1, 0]);
  });

  test('a pass has at most the steps and items that its job declares', async () => {
    const passes: number[][] = [];
    const scheduler = start([
      jobOf('bounded', async ({ inSteps }) => {
        const limits: number[] = [];
        await inSteps(async (limit) => limits.push(limit) > 0);
        passes.push(limits);
      }),
    ]);

    await eventually(() => expect(passes.length).toBeGreaterThan(1));
    await scheduler.end();

    expect(passes.slice(0, 2)).toEqual([
      [10, 10, 10],
      [10, 10, 10],
    ]);
  });

  test('a long pass delays no other job, and never overlaps itself', async () => {
    let running = 0;
    let most = 0;
    let others = 0;
    const mayEnd = Promise.withResolvers<void>();
    const scheduler = start([
      jobOf('slow', async () => {
        most = Math.max(most, (running += 1));
        await mayEnd.promise;
        running -= 1;
      }),
      jobOf('quick', async () => void (others += 1)),
    ]);

    await eventually(() => expect(others).toBeGreaterThan(5));
    mayEnd.resolve();
    await scheduler.end();

    expect(most).toBe(1);
  });
});

test('an interval is never shortened, and at most 20 % longer', () => {
  expect([0, 0.5, 1].map((random) => addJitter(1_000, () => random))).toEqual([
    1_000, 1_100, 1_200,
  ]);
});
