import type { Period } from '../../ui/calendar-range.ts';

/** A period up to now, and the step of its points. */
export type Span = {
  readonly value: string;
  readonly label: string;
  readonly step: Period;
  readonly points: number;
};

const WEEK: Span = { value: '7d', label: 'Last 7 days', step: 'hour', points: 168 };
export const SPANS: readonly Span[] = [
  { value: '24h', label: 'Last 24 hours', step: 'hour', points: 24 },
  WEEK,
  { value: '30d', label: 'Last 30 days', step: 'day', points: 30 },
  { value: '365d', label: 'Last year', step: 'day', points: 365 },
  { value: '26w', label: 'Last 26 weeks', step: 'week', points: 26 },
  { value: '12mo', label: 'Last 12 months', step: 'month', points: 12 },
];
/** The same range as trends call it. */
export const rangeOf = ({ value }: Span): string => (value === '365d' ? '12mo' : value);

/** The span from the URL. Default: one week. */
export const findSpan = (value: string): Span => SPANS.find((span) => span.value === value) ?? WEEK;

/** The query of the chart. The service splits it into hours or days of the application's time zone. */
export const toSpanQuery = ({ step, points }: Span) => ({ step, points });

const DAY_MS = 86_400_000;

/** `countedFrom` if the shown points can be incomplete: charted events happened at most a day after arrival. */
export const countingBefore = (
  countedFrom: number | null,
  points: readonly { readonly at: number }[],
): number | null =>
  countedFrom !== null && (points[0]?.at ?? 0) < countedFrom + DAY_MS ? countedFrom : null;
