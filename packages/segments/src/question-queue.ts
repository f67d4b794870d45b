import { Histogram, systemClock } from '@tidings/platform';
import { boundTransactions } from '@tidings/postgres/bound-transactions';
import { isCanceled, type Database, type Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { createTurns } from './question-turns.ts';

const statement = statementsIn(import.meta.dirname);
const READ_NOW = definePrepared(statement('read-now'));

const questionSeconds = new Histogram({
  name: 'tidings_segment_question_seconds',
  help: 'Duration of questions about all users of an application, with their wait, by outcome: answered, timed_out, busy (rejected), failed.',
  labelNames: ['outcome'] as const,
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 30, 60],
});

const OUTCOMES = ['answered', 'timed_out', 'busy', 'failed'] as const;

/** Plans that read each table once, instead of looking up each user. */
const SETTINGS = [
  // Each process of a parallel plan aggregates all events by itself.
  'max_parallel_workers_per_gather = 0',
  // With stale statistics a nested loop may take minutes where a hash join takes seconds.
  'enable_nestloop = off',
  'enable_hashjoin = on',
  'enable_mergejoin = on',
  'enable_seqscan = on',
  'plan_cache_mode = auto',
  // Compiling a statement may take longer than running it.
  'jit = off',
];

export type QuestionQueueOptions = {
  /** Statements at a time in this process. */
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly workMemMiB: number;
  /** A question that waits longer is not asked: its caller has given up. */
  readonly waitMs: number;
};

export const QUESTION_DEFAULTS: QuestionQueueOptions = {
  concurrency: 1,
  timeoutMs: 15_000,
  workMemMiB: 384,
  waitMs: 30_000,
};

export const WAITERS_MAX = 20;
/** One application cannot take all places in the queue. */
export const WAITERS_OF_APPLICATION_MAX = 5;

/**
 * `busy`: too many questions wait, or this one waited too long. `timed_out`: Postgres did not finish
 * in time.
 */
export type Unanswered = 'busy' | 'timed_out';

/** Runs questions over all users of an application, a few at a time. Applications take turns. */
export type QuestionQueue = {
  ask<T>(
    applicationId: string,
    work: (sql: Sql, now: number) => Promise<T>,
  ): Promise<T | Unanswered>;
};

/**
 * Commands that prepare a transaction for a statement about all users.
 * @param name its `application_name`
 */
export const localSettings = ({
  name,
  workMemMiB,
}: Pick<QuestionQueueOptions, 'workMemMiB'> & { readonly name: string }): string =>
  [`application_name = '${name}'`, `work_mem = '${workMemMiB}MB'`, ...SETTINGS]
    .map((setting) => `set local ${setting}`)
    .join('; ');

/**
 * Each question has a transaction of its own, which reads only and sees one moment, and settings of
 * its own. `now` is the clock of the database, in milliseconds.
 */
export function createQuestionQueue(
  db: Database,
  { concurrency, timeoutMs, workMemMiB, waitMs }: QuestionQueueOptions = QUESTION_DEFAULTS,
): QuestionQueue {
  // Prometheus does not see the observation that creates a series.
  for (const outcome of OUTCOMES) questionSeconds.zero({ outcome });
  const turns = createTurns({
    places: concurrency,
    placesOfApplication: concurrency,
    waitersMax: WAITERS_MAX,
    waitersOfApplicationMax: WAITERS_OF_APPLICATION_MAX,
    waitMs,
  });
  // A question may have many statements.
  const bounded = boundTransactions(
    db,
    { totalMs: timeoutMs, statementMs: timeoutMs },
    systemClock,
  );
  const settings = localSettings({ name: 'tidings-segments', workMemMiB });

  return {
    async ask(applicationId, work) {
      const end = questionSeconds.startTimer();
      try {
        const answer = await turns.take(applicationId, () =>
          bounded.transaction(
            async (sql) => {
              await sql.query(
                `set transaction isolation level repeatable read, read only; ${settings}`,
              );
              return work(sql, await readNow(sql));
            },
            { statementTimeoutMs: timeoutMs },
          ),
        );
        end({ outcome: answer === 'busy' ? 'busy' : 'answered' });
        return answer;
      } catch (error) {
        const isTimeout = isCanceled(error);
        end({ outcome: isTimeout ? 'timed_out' : 'failed' });
        if (isTimeout) return 'timed_out';
        throw error;
      }
    },
  };
}

/** Whether a question was not answered. */
export const isUnanswered = (answer: unknown): answer is Unanswered =>
  answer === 'busy' || answer === 'timed_out';

/** The clock of the database, in milliseconds: that of the transaction, if there is one. */
export async function readNow(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ now: Date }>(READ_NOW);
  return rows[0]?.now.getTime() ?? Number.NaN;
}
