/** The load of a caller in the cluster. */
export type CallerPlan = {
  readonly gatewayUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Prefix of message ids and campaign keys. */
  readonly prefix: string;
  readonly users: readonly string[];
  /** Batches of two messages per second. */
  readonly batchesPerSecond: number;
  /** Pushes to one recipient per second. */
  readonly pushesPerSecond: number;
};

/** A request that failed twice. */
export type Failure = { readonly n: number; readonly first: string; readonly second: string };

export type StreamReport = {
  readonly sent: number;
  /** Numbers of accepted requests; request n contains `prefix-n`. */
  readonly accepted: readonly number[];
  readonly retried: number;
  readonly failures: readonly Failure[];
  readonly slowestMs: number;
};

export type CallerReport = { readonly ingest: StreamReport; readonly push: StreamReport };

/** What was found, as sentences. */
export type Evaluation = {
  readonly notes: readonly string[];
  readonly violations: readonly string[];
};
