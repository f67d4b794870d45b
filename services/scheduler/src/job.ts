import type { Clock, Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';

/** Periodic work that needs only Postgres. Each file in `jobs` declares one job. */
export type Job = {
  /** Value of the metric label `job_name` and of the log field `work`. */
  readonly name: string;
  /** Time from the end of one pass to the next. */
  readonly intervalMs: number;
  /** Whether the first pass waits for the interval. By default it runs at start. */
  readonly startsLate?: boolean;
  readonly bound: Bound;
  readonly replicaMode: ReplicaMode;
  run(pass: Pass): Promise<void>;
};

export type Bound = {
  /** Maximum rows or campaigns per step. A step is one short statement or transaction. */
  readonly itemsPerStep: number;
  /**
   * Maximum steps of one kind per pass; the next pass continues. Infinity: a pass runs until
   * nothing is left.
   */
  readonly stepsMax: number;
};

/**
 * How a job runs beside the same job of another replica:
 * - `advisory-lock`: each step takes an advisory lock. A replica that finds it taken ends its pass.
 * - `skip-locked`: each step locks its rows, and skips rows locked by another replica.
 * - `repeat`: both replicas do all the work; the second one changes nothing.
 */
export type ReplicaMode = 'advisory-lock' | 'skip-locked' | 'repeat';

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
   * Repeats a step until it returns false (nothing left), or until the pass has used its steps.
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
