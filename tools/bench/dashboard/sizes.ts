/** Table sizes, and the number of calls per query. */
export type Sizes = {
  readonly deliveries: number;
  readonly events: number;
  readonly calls: number;
};

export const FULL: Sizes = { deliveries: 1_000_000, events: 10_000_000, calls: 200 };

/** Smoke test only; the figures mean nothing. */
export const QUICK: Sizes = { deliveries: 5_000, events: 20_000, calls: 10 };
