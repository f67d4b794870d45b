/** Sizes of the tables, and how often each question is asked. */
export type Sizes = {
  readonly users: number;
  readonly events: number;
  /** Deliveries of campaigns. */
  readonly messages: number;
  /** Rounds of questions about all users. */
  readonly rounds: number;
  /** Estimates, and questions about 200 users. */
  readonly calls: number;
};

export const FULL: Sizes = {
  users: 1_000_000,
  events: 20_000_000,
  messages: 3_000_000,
  rounds: 5,
  calls: 40,
};

/** Smoke test only; the figures mean nothing. */
export const QUICK: Sizes = {
  users: 10_000,
  events: 100_000,
  messages: 30_000,
  rounds: 2,
  calls: 5,
};
