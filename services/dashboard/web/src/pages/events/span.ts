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

/**
 * What to ask for: an instant in the first hour or day of a span. It stays the same for an hour, so that answers are found again.
 * The service says which hours and days the zone of the application has; the last `steps` of them are shown.
 */
export const firstOf = ({ step, steps }: Span, now: number): number => Math.floor(now / STEP_MS.hour) * STEP_MS.hour - (steps - 1) * STEP_MS[step];
