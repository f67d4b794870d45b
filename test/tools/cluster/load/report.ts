/** What a caller in the cluster does. */
export type CallerPlan = {
  readonly gatewayUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Ids of messages and keys of campaigns begin with it. */
  readonly prefix: string;
  readonly users: readonly string[];
  /** Of two messages each. */
  readonly batchesPerSecond: number;
  /** To one recipient each. */
  readonly pushesPerSecond: number;
};

/** A request that was not answered 200, neither at once nor when it was repeated. */
export type Failure = { readonly n: number; readonly first: string; readonly second: string };

export type StreamReport = {
  readonly sent: number;
  /** By number: `prefix-n` is in what was sent. */
  readonly accepted: readonly number[];
  readonly retried: number;
  readonly failures: readonly Failure[];
  readonly slowestMs: number;
};

export type CallerReport = { readonly ingest: StreamReport; readonly push: StreamReport };
