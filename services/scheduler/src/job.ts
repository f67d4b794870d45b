import type { Clock, Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';

/** Work that is done again and again and needs Postgres alone. Each file of `jobs` declares one. */
export type Job = {
  /** The value of the label `job_name`, and of the field `work` in the log. */
  readonly name: string;
  /** Time between the end of a pass and the next one. */
  readonly intervalMs: number;
  /** Whether the first pass comes after the interval, too. Otherwise it comes at the start. */
  readonly startsLate?: boolean;
  readonly bound: Bound;
  readonly replicaMode: ReplicaMode;
  run(pass: Pass): Promise<void>;
};

export type Bound = {
  /** Rows or campaigns of one step at most. A step is one short statement or transaction. */
  readonly itemsPerStep: number;
  /** Steps of one kind in a pass at most; the next pass does the rest. Infinity: a pass ends when nothing is left. */
  readonly stepsMax: number;
};

/**
 * What a job does while another replica runs it, too:
 * - `takes-turns`: a step holds an advisory lock. A replica that finds it taken ends its pass.
 * - `shares`: a step locks its rows and skips those that another replica has locked.
 * - `repeats`: both replicas do all of it. The second one changes nothing.
 */
export type ReplicaMode = 'takes-turns' | 'shares' | 'repeats';

export type JobContext = {
  readonly db: Database;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
  readonly signal: AbortSignal;
};

/** One run of a job. */
export type Pass = JobContext & {
  readonly itemsPerStep: number;
  /**
   * Repeats a step until it says that there is no more, or until the pass has had its steps.
   * @throws the reason of `signal` before a step, when the process stops
   */
  inSteps(step: (limit: number) => Promise<boolean>): Promise<void>;
};

export function createPass({ itemsPerStep, stepsMax }: Bound, tools: JobContext): Pass {
  return {
    ...tools,
    itemsPerStep,
    async inSteps(step) {
      for (let steps = 0; steps < stepsMax; steps += 1) {
        tools.signal.throwIfAborted();
        if (!(await step(itemsPerStep))) return;
      }
    },
  };
}
