import type { Random } from './load/random.ts';
import type { Brokers, Rig } from './rigs/rig.ts';

/** How much a row does: the short form belongs to every test run. */
export type Plan = {
  readonly kills: number;
  readonly outageMs: number;
  /** Of batches or of pushes to one recipient, as the suite has it. */
  readonly requestsPerSecond: number;
  readonly applications: number;
  /** Of each application. */
  readonly users: number;
};

/** What one oracle found wrong. */
/** What must hold, whatever is done to the installation. */
export type Oracle =
  | 'stored once'
  | 'nothing invented'
  | 'an outcome for everyone'
  | 'sent once'
  | 'true reports'
  | 'profiles'
  | 'answers'
  | 'healthy'
  | 'dead letters'
  | 'in time';

export type Violation = { readonly oracle: Oracle; readonly what: string };

/** How long something took; without the time in which the machine had no CPU for it, it may take `msMax`. */
export type Recovery = {
  readonly what: string;
  readonly ms: number | null;
  readonly cpuWaitMs: number;
  readonly msMax: number;
};

/** One run of a row, whatever the suite: what it may use, and where it writes down what only it knows. */
export type Run<R extends Rig = Rig> = {
  readonly rig: R;
  readonly plan: Plan;
  readonly random: Random;
  readonly recoveries: Recovery[];
  readonly violations: Violation[];
  /** Aborts when the row must come to its end. */
  readonly ending: AbortSignal;
  /** What else is worth to be read beside the table. */
  readonly notes: string[];
};

/** A row as the command line and the table know it. */
export type RowHead = {
  readonly id: `F${number}${'' | 'b'}`;
  readonly fault: string;
  readonly brokers: Brokers;
  /** What of the plan is another for this row, where the command line does not say it. */
  readonly plan?: Partial<Plan>;
};

export type FaultRow<R extends Run> = RowHead & {
  /** Does the harm and mends it, while the load goes on. */
  inject(run: R): Promise<void>;
  /** What is done and looked at once all is read. */
  afterwards?(run: R): Promise<void>;
};
