import type { Outage } from './oracles/answers.ts';
import type { Load } from './load/load.ts';
import type { Random } from './load/random.ts';
import type { Poison } from './poison.ts';
import type { Brokers, Rig, TestApplication } from './rig.ts';

/** How much a row does: the short form belongs to every test run. */
export type Plan = {
  readonly kills: number;
  readonly outageMs: number;
  readonly requestsPerSecond: number;
  readonly applications: number;
  readonly users: number;
};

/** What one oracle found wrong. */
export type Violation = { readonly oracle: `O${number}`; readonly what: string };

/** How long something took; without the time in which the machine had no CPU for it, it may take `msMax`. */
export type Recovery = { readonly what: string; readonly ms: number | null; readonly cpuWaitMs: number; readonly msMax: number };

/** One run of a row: what it may use, and where it writes down what only it knows. */
export type Run = {
  readonly rig: Rig;
  readonly plan: Plan;
  readonly random: Random;
  readonly load: Load;
  readonly applications: readonly TestApplication[];
  /** Times in which a 200 would be a lie. */
  readonly outages: Outage[];
  readonly poison: Poison[];
  readonly recoveries: Recovery[];
  readonly violations: Violation[];
  /** Aborts when the row must come to its end. */
  readonly ending: AbortSignal;
  /** What else is worth to be read beside the table. */
  readonly notes: string[];
};

export type FaultRow = {
  readonly id: `F${number}`;
  readonly fault: string;
  readonly brokers: Brokers;
  /** Requests per second at most, where a fault leaves a small machine no time for more. */
  readonly requestsPerSecondMax?: number;
  /** Which gateway the load asks: the near one when absent; `balanced` asks those that say they are ready, in turn. */
  readonly target?: 'near' | 'far' | 'balanced';
  /** The caller's connections may break, since their server is killed. */
  readonly mayBreak?: boolean;
  /** Every answer must be 200: what is disturbed is behind Kafka, or not needed. */
  readonly mustAccept?: boolean;
  /** A refused batch is always sent again. */
  readonly retriesAll?: boolean;
  /** Does the harm and mends it, while the load goes on. */
  inject(run: Run): Promise<void>;
  /** What is done and looked at once all is read. */
  afterwards?(run: Run): Promise<void>;
};
