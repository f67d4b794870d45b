/** A time back from now, and the steps that its points stand for. */
export type Span = { readonly value: string; readonly label: string; readonly step: 'hour' | 'day'; readonly steps: number };

const STEP_MS = { hour: 3_600_000, day: 86_400_000 } as const;

const WEEK: Span = { value: '7d', label: 'Last 7 days', step: 'hour', steps: 168 };
export const SPANS: readonly Span[] = [
  { value: '24h', label: 'Last 24 hours', step: 'hour', steps: 24 },
  WEEK,
  { value: '30d', label: 'Last 30 days', step: 'day', steps: 30 },
  { value: '365d', label: 'Last year', step: 'day', steps: 365 },
];
/** The span that the address names; without one, a week. */
export const spanOf = (value: string): Span => SPANS.find((span) => span.value === value) ?? WEEK;

/** The beginning of its first step and of its last, the present one, in milliseconds since the epoch. Days are those of UTC. */
export function edgesOf({ step, steps }: Span, now: number): { readonly first: number; readonly last: number } {
  const last = Math.floor(now / STEP_MS[step]) * STEP_MS[step];
  return { first: last - (steps - 1) * STEP_MS[step], last };
}

/** A point for each step, as answers leave out those where nothing was. */
export function everyStep<T extends { readonly at: number }>(span: Span, now: number, points: readonly T[]): readonly { readonly at: number; readonly point: T | undefined }[] {
  const { first } = edgesOf(span, now);
  const known = new Map(points.map((point) => [point.at, point]));
  return Array.from({ length: span.steps }, (_, index) => {
    const at = first + index * STEP_MS[span.step];
    return { at, point: known.get(at) };
  });
}
