import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { PROFILE_FIELDS } from '@tidings/contracts/ingest/ingest';
import { isTimeZone } from '@tidings/contracts/time-zones';
import { boundsFault } from '@tidings/segments/condition-bounds';
import type { ConditionContext } from '@tidings/segments/condition-context';

const DAY_MS = 86_400_000;
/** Levels of JSON: series, one of them, its `where`, a comparison, a moment. */
const DEPTH_MAX = 8;

/** What questions about all users have in common, as it came. */
export type AskedOfAll = {
  readonly from: number;
  readonly to: number;
  readonly timeZone?: string | undefined;
  readonly segment?: string | undefined;
};

/** A question that can be asked, or what is wrong with it. */
export type Read<T> =
  | { readonly ok: true; readonly question: T; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** Of the parts that have a language of their own, before code that recurses reads them. */
export const tooLarge = (parts: unknown): FieldError | null =>
  boundsFault(parts, '', {
    bytesMax: LIMITS.conditionBytesMax,
    depthMax: DEPTH_MAX,
    depthExpected: 'no deeper than an event and its comparisons',
  });

/** Faults of the range, the zone and the segment. */
export function checkAsked(
  { from, to, timeZone, segment }: AskedOfAll,
  context: ConditionContext,
): FieldError[] {
  const fault = (
    pointer: string,
    code: FieldError['code'],
    expected: string,
  ): readonly FieldError[] => [{ pointer, code, expected }];
  return [
    ...(to <= from ? fault('/to', 'out_of_range', 'later than from') : []),
    ...(to - from > LIMITS.analyticsRangeDaysMax * DAY_MS
      ? fault('/to', 'out_of_range', `at most ${LIMITS.analyticsRangeDaysMax} days after from`)
      : []),
    ...(timeZone === undefined || isTimeZone(timeZone)
      ? []
      : fault('/timeZone', 'invalid_value', 'the IANA name of a time zone')),
    ...(segment === undefined || context.segments.has(segment)
      ? []
      : fault('/segment', 'invalid_value', 'the slug of a segment')),
  ];
}

/** Of a segment that was checked; null: all users. */
export const conditionOf = ({ segment }: AskedOfAll, context: ConditionContext): Condition | null =>
  segment === undefined ? null : (context.segments.get(segment) ?? null);

/** Faults of a breakdown, which names one of `kinds`. */
export function checkBreakdown(breakdown: object, kinds: readonly string[]): FieldError[] {
  if (kinds.filter((kind) => kind in breakdown).length !== 1)
    return [
      {
        pointer: '/breakdown',
        code: 'exactly_one_of',
        expected: `exactly one of ${kinds.join(', ')}`,
      },
    ];
  return !('field' in breakdown) || (PROFILE_FIELDS as readonly unknown[]).includes(breakdown.field)
    ? []
    : [{ pointer: '/breakdown/field', code: 'invalid_value', expected: 'a field of the profile' }];
}
