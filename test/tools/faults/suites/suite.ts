import type { Plan, Recovery, RowHead, Violation } from '../fault-row.ts';
import type { Brokers } from '../rigs/rig.ts';

/** One line of the table. */
export type RowResult = {
  readonly row: RowHead['id'];
  readonly fault: string;
  readonly seed: number;
  readonly seconds: number;
  /** What the suite counts, by the headings of its columns. */
  readonly cells: Readonly<Record<string, string | number>>;
  /** Another way to do it, shown beside ours: what it does wrong is no failure. */
  readonly isComparison?: boolean;
  /** Why the row could not be run here. */
  readonly leftOut?: string;
  readonly memoryMiB: Readonly<Record<string, string>>;
  readonly recoveries: readonly Recovery[];
  readonly notes: readonly string[];
  readonly violations: readonly Violation[];
  /** Every request, for a run that failed. */
  readonly requests: readonly unknown[];
};

export type RowOptions = {
  readonly plan: Plan;
  readonly seed: number;
  /** Has the row end early. */ readonly signal?: AbortSignal;
};

/** An installation that rows of one suite take turns on. */
export type Stage = {
  /** @throws when it was told to end early */
  run(id: string, options: RowOptions): Promise<RowResult>;
  stop(): Promise<void>;
};

export type StageOptions = {
  readonly brokers: Brokers;
  readonly plan: Plan;
  readonly signal: AbortSignal;
};

/** Rows, the load that goes on meanwhile, and the oracles that are asked afterwards. */
export type Suite = {
  /** In the order of the table. */
  readonly rows: readonly RowHead[];
  readonly longPlan: Plan;
  /** About what one run of each row takes in the long form on two cores. */
  readonly longFormSeconds: Readonly<Record<string, number>>;
  start(options: StageOptions): Promise<Stage>;
};
