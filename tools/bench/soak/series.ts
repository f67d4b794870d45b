/** A value at a time. */
export type Point = { readonly atSeconds: number; readonly value: number };

/** Maximum rise of a level series: a share of its mean, or an absolute amount. */
export type Tolerance = { readonly share: number } | { readonly amount: number };

export type Series = {
  readonly name: string;
  readonly unit: 'MiB' | 'bytes/row' | 'records';
  readonly tolerance: Tolerance;
  readonly points: readonly Point[];
};

/** The trend of a series after the warm-up. */
export type Trend = {
  /** Difference between the ends of the fitted line. */
  readonly rise: number;
  readonly risePercentPerHour: number;
  readonly isLevel: boolean;
};

/** The first third is warm-up: caches fill, code is compiled. */
const SETTLED_SHARE = 2 / 3;
const SECONDS_PER_HOUR = 3600;

/**
 * Least-squares line through the last two thirds. A falling series is level, too: only growth is a
 * fault.
 */
export function computeTrend({ points, tolerance }: Pick<Series, 'points' | 'tolerance'>): Trend {
  const settled = points.slice(Math.floor(points.length * (1 - SETTLED_SHARE)));
  const first = settled[0];
  const last = settled.at(-1);
  if (first === undefined || last === undefined || first === last)
    return { rise: 0, risePercentPerHour: 0, isLevel: true };
  const mean = meanOf(settled.map(({ value }) => value));
  const slopePerSecond = leastSquaresSlope(settled);
  const rise = slopePerSecond * (last.atSeconds - first.atSeconds);
  return {
    rise,
    risePercentPerHour: mean === 0 ? 0 : ((slopePerSecond * SECONDS_PER_HOUR) / mean) * 100,
    isLevel: rise <= ('share' in tolerance ? mean * tolerance.share : tolerance.amount),
  };
}

function leastSquaresSlope(points: readonly Point[]): number {
  const meanAt = meanOf(points.map(({ atSeconds }) => atSeconds));
  const meanValue = meanOf(points.map(({ value }) => value));
  let together = 0;
  let spread = 0;
  for (const { atSeconds, value } of points) {
    together += (atSeconds - meanAt) * (value - meanValue);
    spread += (atSeconds - meanAt) ** 2;
  }
  return spread === 0 ? 0 : together / spread;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
