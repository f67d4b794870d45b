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

/** Sizes of the measurement of entries and steps. */
export type StepSizes = {
  readonly users: number;
  readonly rounds: number;
  /** Transactions of the consumer in a round. */
  readonly transactions: number;
  /** Each request enters one person. */
  readonly requestsPerTransaction: number;
};

/** Sizes of the measurement of messages. */
export type SendSizes = {
  readonly users: number;
  readonly rounds: number;
  /** Recipients of a round, for each way. */
  readonly recipients: number;
};

/** Sizes of the measurement of engines. */
export type EngineSizes = {
  readonly users: number;
  /** For each number of engines. */
  readonly entries: number;
  readonly timers: number;
  readonly timersPerSecond: number;
  readonly triggersPerSecond: number;
  readonly triggerSeconds: number;
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

export const FULL_SENDS: SendSizes = { users: 20_000, rounds: 5, recipients: 2_000 };
export const QUICK_SENDS: SendSizes = { users: 1_000, rounds: 2, recipients: 500 };

export const FULL_STEPS: StepSizes = {
  users: 20_000,
  rounds: 5,
  transactions: 20,
  requestsPerTransaction: 200,
};
export const QUICK_STEPS: StepSizes = {
  users: 500,
  rounds: 2,
  transactions: 2,
  requestsPerTransaction: 50,
};

export const FULL_ENGINES: EngineSizes = {
  users: 50_000,
  entries: 20_000,
  timers: 50_000,
  timersPerSecond: 833,
  triggersPerSecond: 200,
  triggerSeconds: 60,
};
export const QUICK_ENGINES: EngineSizes = {
  users: 1_000,
  entries: 400,
  timers: 400,
  timersPerSecond: 100,
  triggersPerSecond: 20,
  triggerSeconds: 5,
};
