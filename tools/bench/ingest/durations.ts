/** Durations and sizes of the measurements. */
export type Durations = {
  readonly warmUpMs: number;
  /** Duration of a measurement in the search for the peak. */
  readonly peakMs: number;
  readonly cpuRounds: number;
  readonly cpuRoundMs: number;
  readonly latencyMs: number;
  readonly overloadRounds: number;
  readonly overloadRoundMs: number;
  readonly tenantRounds: number;
  readonly tenantRoundMs: number;
  readonly backlogRequests: number;
  readonly backlogRounds: number;
  /** Maximum wait for the consumers to catch up between two parts. */
  readonly drainMs: number;
};

export const FULL: Durations = {
  warmUpMs: 4_000,
  peakMs: 10_000,
  cpuRounds: 11,
  cpuRoundMs: 2_000,
  latencyMs: 30_000,
  overloadRounds: 3,
  overloadRoundMs: 15_000,
  tenantRounds: 6,
  tenantRoundMs: 12_000,
  backlogRequests: 20_000,
  backlogRounds: 3,
  drainMs: 60_000,
};

/** Smoke test only; the figures mean nothing. */
export const QUICK: Durations = {
  warmUpMs: 500,
  peakMs: 1_000,
  cpuRounds: 2,
  cpuRoundMs: 300,
  latencyMs: 2_000,
  overloadRounds: 1,
  overloadRoundMs: 2_000,
  tenantRounds: 1,
  tenantRoundMs: 1_500,
  backlogRequests: 500,
  backlogRounds: 1,
  drainMs: 20_000,
};
