// Questions about what people did, and their answers.

import type { AnswerOf } from '@tidings/api-spec/endpoint';
import type { askRetentionEndpoint } from '@tidings/api-spec/endpoints/retention';
import type { askTrendEndpoint } from '@tidings/api-spec/endpoints/trends';
import type { FunnelStep } from '@tidings/contracts/analytics/funnels';
import type {
  RetentionPeriod,
  TrendBreakdown,
  TrendSeries,
} from '@tidings/contracts/analytics/trends';
import type { Period } from '../ui/calendar-range.ts';

export type TrendQuestion = {
  readonly series: readonly TrendSeries[];
  readonly from: number;
  readonly to: number;
  readonly step: Period;
  readonly timeZone: string;
  readonly segment?: string;
  readonly breakdown?: TrendBreakdown;
};
export type TrendResult = AnswerOf<typeof askTrendEndpoint>;
export type TrendPoints = Pick<TrendResult['series'][number], 'points' | 'total'>;

export type RetentionQuestion = {
  readonly start: FunnelStep;
  readonly return: FunnelStep;
  readonly from: number;
  readonly to: number;
  readonly period: RetentionPeriod;
  readonly periods: number;
  readonly timeZone: string;
  readonly first?: 'ever';
  readonly unbounded?: true;
  readonly segment?: string;
};
export type RetentionResult = AnswerOf<typeof askRetentionEndpoint>;
