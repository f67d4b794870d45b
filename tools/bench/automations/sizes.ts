/** Sizes of the measurement of changes. */
export type ChangeSizes = {
  readonly users: number;
  readonly rounds: number;
  /** Transactions of a round, for each way. */
  readonly transactions: number;
  readonly requestsPerTransaction: number;
  /** The same events in transactions of this many requests, as at a low rate. */
  readonly requestsPerSmallTransaction: number;
};

export const FULL: ChangeSizes = {
  users: 20_000,
  rounds: 5,
  transactions: 10,
  requestsPerTransaction: 200,
  requestsPerSmallTransaction: 10,
};

/** Smoke test only; the figures mean nothing. */
export const QUICK: ChangeSizes = {
  users: 500,
  rounds: 2,
  transactions: 2,
  requestsPerTransaction: 20,
  requestsPerSmallTransaction: 5,
};
