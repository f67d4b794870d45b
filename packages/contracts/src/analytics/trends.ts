import { EVENT_CURRENCIES } from '../currencies.ts';
import { LIMITS } from '../limits.ts';
import { EVENT_PARTS } from '../segments/leaves/event.ts';
import type { AttributePath } from '../segments/leaves/parts.ts';
import { PATH } from '../segments/leaves/schemas.ts';
import type { FunnelStep } from './funnels.ts';

/** What is counted of the events of a series: themselves, persons, or revenue in a currency. */
export type TrendMeasure = 'events' | 'users' | { readonly sum: string };
export const COUNTED = ['events', 'users'] as const;

export type TrendSeries = FunnelStep & { readonly measure: TrendMeasure };

/** Parts by an attribute of the event, or by a value of the user as it is now. */
export type TrendBreakdown =
  | { readonly attribute: AttributePath }
  | { readonly field: string }
  | { readonly userAttribute: AttributePath };
export const TREND_BREAKDOWNS = ['attribute', 'field', 'userAttribute'] as const;

/** Calendar periods of retention. */
export const RETENTION_PERIODS = ['day', 'week', 'month'] as const;
export type RetentionPeriod = (typeof RETENTION_PERIODS)[number];

const CURRENCY = {
  type: 'string',
  enum: EVENT_CURRENCIES,
  description: 'an ISO 4217 code in capitals',
};
const SERIES = {
  type: 'object',
  required: ['event', 'measure'],
  properties: {
    ...EVENT_PARTS,
    measure: {
      type: ['string', 'object'],
      required: ['sum'],
      properties: { sum: CURRENCY },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};
const BREAKDOWN = {
  type: 'object',
  properties: { attribute: PATH, field: { type: 'string' }, userAttribute: PATH },
  additionalProperties: false,
};
const trendProperties = {
  series: { type: 'array', minItems: 1, maxItems: LIMITS.trendSeriesMax, items: SERIES },
  breakdown: BREAKDOWN,
};

/** The JSON Schema of what a trend counts. Not in it: rules that need the application. */
export const TrendSchema: object = {
  type: 'object',
  required: ['series'],
  properties: trendProperties,
  additionalProperties: false,
};

const EVENT_OF_RETENTION = {
  type: 'object',
  required: ['event'],
  properties: EVENT_PARTS,
  additionalProperties: false,
};
const retentionProperties = { start: EVENT_OF_RETENTION, return: EVENT_OF_RETENTION };

/** The JSON Schema of the events of retention. */
export const RetentionSchema: object = {
  type: 'object',
  required: ['start'],
  properties: retentionProperties,
  additionalProperties: false,
};
