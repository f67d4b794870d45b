import type { Random } from './load/random.ts';
import type { Brokers, Rig } from './rigs/rig.ts';

/** The amount of work of a row. Every test run includes the short form. */
export type Plan = {
  readonly kills: number;
  readonly outageMs: number;
  /** Batches or pushes to one recipient per second, depending on the suite. */
  readonly requestsPerSecond: number;
  readonly applications: number;
  /** Users per application. */
  readonly users: number;
};

/** Invariants that must hold under any fault. */
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

/** A violation found by an oracle. */
export type Violation = { readonly oracle: Oracle; readonly what: string };

/**
 * A measured duration. It may take `msMax`, excluding the time in which the machine had no CPU for
 * it.
 */
export type Recovery = {
  readonly what: string;
  readonly ms: number | null;
  readonly cpuWaitMs: number;
  readonly msMax: number;
};

/** One run of a row: its tools, and where it records its results. */
export type Run<R extends Rig = Rig> = {
  readonly rig: R;
  readonly plan: Plan;
  readonly random: Random;
  readonly recoveries: Recovery[];
  readonly violations: Violation[];
  /** Aborts when the row must end. */
  readonly ending: AbortSignal;
  /** Additional results, printed beside the table. */
  readonly notes: string[];
};

/** A row as the command line and the table show it. */
export type RowHead = {
  /** Its first letter names the suite: ingest, delivery, processes, rolling restart, upgrade, neighbours or automations. */
  readonly id: `${'I' | 'D' | 'P' | 'R' | 'U' | 'N' | 'A'}${number}${'' | 'b'}`;
  readonly fault: string;
  readonly brokers: Brokers;
  /** The fault is one of Kafka. */
  readonly needsKafka?: true;
  /** Plan values of this row, unless the command line sets them. */
  readonly plan?: Partial<Plan>;
};

export type FaultRow<R extends Run> = RowHead & {
  /** Injects the fault and removes it, while the load continues. */
  inject(run: R): Promise<void>;
  /** Runs after all messages are processed. */
  afterwards?(run: R): Promise<void>;
};
