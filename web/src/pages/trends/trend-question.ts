import type { Condition } from '@tidings/contracts/segments/conditions';
import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import type { AttributeComparison } from '@tidings/contracts/segments/leaves/parts';
import type {
  TrendBreakdown,
  TrendMeasure,
  TrendSeries,
} from '@tidings/contracts/analytics/trends';
import type { TrendQuestion } from '../../api/analytics.ts';
import { later, type Period } from '../../ui/calendar-range.ts';
import { eventName, type Names } from '../../conditions/describe-condition.ts';
import { humanize } from '../../lib/format.ts';
import { pathText } from '../../conditions/path-text.ts';
import { isolate, toText } from '../../lib/text.ts';

export const STEPS = ['hour', 'day', 'week', 'month'] as const satisfies readonly Period[];
export const SERIES_MAX = 5;

/** A value of an address; what cannot be read is the standard. */
function readJson<T>(text: string, is: (value: unknown) => boolean, standard: T): T {
  try {
    const value: unknown = JSON.parse(text);
    return is(value) ? (value as T) : standard;
  } catch {
    return standard;
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isSeries = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= SERIES_MAX &&
  value.every((each) => isObject(each) && 'event' in each && 'measure' in each);

/** The series of an address. Without any, how often an event happened. */
export const readSeries = (text: string, event: string): readonly TrendSeries[] =>
  readJson(text, isSeries, [{ event, measure: 'events' }]);

export const readStep = (text: string): Period => STEPS.find((step) => step === text) ?? 'day';

export const readBreakdown = (text: string): TrendBreakdown | undefined =>
  readJson<TrendBreakdown | undefined>(
    text,
    (value) =>
      isObject(value) && ('attribute' in value || 'field' in value || 'userAttribute' in value),
    undefined,
  );

/** What a chart shows in a place: of one series, in a point or in all, of a group or of all. */
export type TrendPlace = {
  readonly series: number;
  readonly at?: number;
  /** A value of the breakdown; null: of those without one. */
  readonly group?: unknown;
  /** All values beyond the largest. */
  readonly others?: true;
};

/** The place whose people an address shows. */
export const readPlace = (text: string): TrendPlace | null =>
  readJson<TrendPlace | null>(
    text,
    (value) => isObject(value) && 'series' in value && typeof value.series === 'number',
    null,
  );

/** The people of a place, as the service lists them. */
export const peopleQuestion = (question: TrendQuestion, { series, ...of }: TrendPlace): object => ({
  ...question,
  index: series,
  ...of,
});

/** The condition that has the people of a place: they did the event in this time. */
export function peopleCondition(question: TrendQuestion, place: TrendPlace): Condition | null {
  const { segment, breakdown, step, timeZone } = question;
  const series = question.series[place.series];
  // What is left has no value of its own.
  if (series === undefined || place.others === true) return null;
  const from = Math.max(question.from, place.at ?? question.from);
  const to =
    place.at === undefined
      ? question.to
      : Math.min(question.to, later(place.at, [1, step], timeZone));
  const grouped =
    'group' in place && breakdown !== undefined ? ofGroup(breakdown, place.group) : {};
  const where = [...(series.where ?? []), ...('where' in grouped ? [grouped.where] : [])];
  const event: LeafOf<'event'> = {
    event: series.event,
    ...(where.length > 0 && { where }),
    from,
    to,
  };
  const all: readonly Condition[] = [
    event,
    ...('user' in grouped ? [grouped.user] : []),
    ...(segment === undefined ? [] : [{ segment }]),
  ];
  return all.length === 1 ? event : { all };
}

type OfGroup =
  | { readonly where: AttributeComparison }
  | { readonly user: Condition }
  | Record<never, never>;

function ofGroup(breakdown: TrendBreakdown, value: unknown): OfGroup {
  const compared = value === null ? { exists: false } : { is: value };
  if ('attribute' in breakdown)
    return { where: { attribute: breakdown.attribute, ...compared } as AttributeComparison };
  if ('field' in breakdown)
    return { user: { field: breakdown.field, ...compared } as unknown as Condition };
  return { user: { attribute: breakdown.userAttribute, ...compared } as unknown as Condition };
}

/** `item_viewed, people`. */
export function seriesName({ event, measure, where = [] }: TrendSeries, names: Names): string {
  const name = isolate(eventName(event, names));
  return `${name}${where.length > 0 ? ', filtered' : ''}, ${measureName(measure)}`;
}

export function measureName(measure: TrendMeasure): string {
  if (typeof measure === 'object') return measure.sum;
  return measure === 'users' ? 'people' : 'events';
}

/** What a breakdown is by: `Category`. */
export function breakdownName(breakdown: TrendBreakdown): string {
  if ('field' in breakdown) return humanize(breakdown.field);
  return pathText('attribute' in breakdown ? breakdown.attribute : breakdown.userAttribute);
}

/** A value of a breakdown, for readers. */
export const groupName = (value: unknown): string =>
  value === null || value === undefined ? 'none' : toText(value) || JSON.stringify(value);
