import type { BusKind } from '@tidings/local';
import type { Plan, Recovery, RowHead, Violation } from '../fault-row.ts';
import type { Bound, Compared } from '../oracles/neighbours/comparisons.ts';
import type { Brokers } from '../rigs/rig.ts';

/** A figure alone and beside a fault, of this version and, if asked for, of another. */
export type ComparedFigure = {
  readonly name: string;
  readonly bound: Bound | null;
  readonly now: Compared;
  readonly before?: Compared;
};

/** One line of the table. */
export type RowResult = {
  readonly row: RowHead['id'];
  readonly fault: string;
  readonly seed: number;
  readonly seconds: number;
  /** The suite's figures, by column heading. */
  readonly cells: Readonly<Record<string, string | number>>;
  /** Figures with a line each, in place of `cells`. */
  readonly compared?: readonly ComparedFigure[];
  /** A comparison with another method; its figures are not failures. */
  readonly isComparison?: boolean;
  /** Why the row could not run here. */
  readonly leftOut?: string;
  readonly memoryMiB: Readonly<Record<string, string>>;
  readonly recoveries: readonly Recovery[];
  readonly notes: readonly string[];
  readonly violations: readonly Violation[];
  /** All requests, for a failed run. */
  readonly requests: readonly unknown[];
};

export type RowOptions = {
  readonly plan: Plan;
  readonly seed: number;
  /** Ends the row early. */ readonly signal?: AbortSignal;
};

/** An installation that rows of one suite share in turn. */
export type Stage = {
  /** @throws if stopped early */
  run(id: string, options: RowOptions): Promise<RowResult>;
  stop(): Promise<void>;
};

export type StageOptions = {
  readonly brokers: Brokers;
  readonly bus: BusKind;
  readonly plan: Plan;
  readonly signal: AbortSignal;
  /** A commit or a checkout: the version that an upgrade begins with. */
  readonly from?: string | undefined;
  /** A commit or a checkout: the version that is measured too. */
  readonly against?: string | undefined;
};

/** Rows, their load, and the oracles that run afterwards. */
export type Suite = {
  /** In table order. */
  readonly rows: readonly RowHead[];
  readonly longPlan: Plan;
  /** Approximate seconds per row in the long form on two cores. */
  readonly longFormSeconds: Readonly<Record<string, number>>;
  /** Whether the command line must name a version by `--from`; otherwise it must not. */
  readonly needsFrom?: true;
  /** Whether the command line may name a version by `--against`. */
  readonly takesAgainst?: true;
  start(options: StageOptions): Promise<Stage>;
};
