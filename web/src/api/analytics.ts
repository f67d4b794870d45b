// Questions about what people did, and their answers.

import type { FunnelStep } from '@tidings/contracts/analytics/funnels';
import type { AttributePath } from '@tidings/contracts/segments/leaves/parts';
import type { Period } from '../ui/calendar-range.ts';

type Answered = {
  readonly asOf: number;
  readonly tookMs: number;
  /** The start of the first period that is not over; null when all are. */
  readonly partialFrom: number | null;
  readonly warnings: readonly {
    readonly code: string;
    readonly pointer: string;
    readonly detail: string;
  }[];
};

/** What is counted of an event: how often it happened, who did it, or its revenue in a currency. */
export type TrendMeasure = 'events' | 'users' | { readonly sum: string };
export type TrendSeries = FunnelStep & { readonly measure: TrendMeasure };
/** Parts by a value of the event, or of its user as it is now. */
export type TrendBreakdown =
  | { readonly attribute: AttributePath }
  | { readonly field: string }
  | { readonly userAttribute: AttributePath };

export type TrendQuestion = {
  readonly series: readonly TrendSeries[];
  readonly from: number;
  readonly to: number;
  readonly step: Period;
  readonly timeZone: string;
  readonly segment?: string;
  readonly breakdown?: TrendBreakdown;
};

export type TrendPoints = {
  readonly points: readonly { readonly at: number; readonly value: number }[];
  readonly total: number;
};
type TrendGroup = TrendPoints & { readonly value: unknown };
export type TrendResult = Answered & {
  readonly series: readonly (TrendPoints & {
    readonly groups?: readonly TrendGroup[];
    readonly othersGroups?: number;
    readonly others?: TrendPoints | null;
    /** Of numbers that are those of the chart of a definition. */
    readonly outside?: number;
    readonly byArrival?: number;
    readonly countedFrom?: number | null;
  })[];
};

export type RetentionQuestion = {
  readonly start: FunnelStep;
  readonly return: FunnelStep;
  readonly from: number;
  readonly to: number;
  readonly period: Exclude<Period, 'hour'>;
  readonly periods: number;
  readonly timeZone: string;
  readonly first?: 'ever';
  readonly unbounded?: true;
  readonly segment?: string;
};

type RetentionCohort = {
  readonly at: number;
  readonly users: number;
  /** By period, from that of the start on; null: it has not begun. */
  readonly returned: readonly (number | null)[];
  /** Of each period: it has begun and is not over. */
  readonly isPartial: readonly boolean[];
};
export type RetentionResult = Answered & {
  readonly cohorts: readonly RetentionCohort[];
};
