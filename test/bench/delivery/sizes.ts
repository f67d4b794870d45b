/** How much is measured. */
export type Sizes = {
  readonly users: number;
  readonly rounds: number;
  /** Recipients of the campaign that is expanded. */
  readonly expanded: number;
  /** Recipients of the campaigns that are sent, each. */
  readonly dispatched: number;
  /** Recipients of the campaign beside which single ones are sent. */
  readonly bulk: number;
  readonly singlesMs: number;
  /** How many single ones are sent when no campaign runs. */
  readonly singlesAlonePerSecond: number;
};

export const FULL: Sizes = { users: 100_000, rounds: 5, expanded: 100_000, dispatched: 20_000, bulk: 60_000, singlesMs: 15_000, singlesAlonePerSecond: 200 };

/** Only to see that everything works: the figures mean nothing. */
export const QUICK: Sizes = { users: 2_000, rounds: 1, expanded: 2_000, dispatched: 500, bulk: 2_000, singlesMs: 500, singlesAlonePerSecond: 50 };
