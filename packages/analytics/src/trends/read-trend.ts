import {
  COUNTED,
  TREND_BREAKDOWNS,
  TrendSchema,
  type TrendBreakdown,
  type TrendSeries,
} from '@tidings/contracts/analytics/trends';
import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';
import { PROFILE_FIELDS } from '@tidings/contracts/ingest/ingest';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { checkNamedEvent } from '@tidings/segments/leaves/check-event';
import { createValidator } from '@tidings/validation';
import { withoutConsequences } from '@tidings/validation/without-consequences';
import {
  checkPeriods,
  conditionOf,
  tooLarge,
  type AskedPeriods,
  type Read,
} from '../read-asked.ts';

const validate = createValidator<Counted>(TrendSchema);

type Counted = { readonly series: readonly TrendSeries[]; readonly breakdown?: TrendBreakdown };

/** What a caller asks of a trend, as it came. */
export type AskedTrend = AskedPeriods & {
  readonly series: unknown;
  readonly breakdown?: unknown;
};

export type TrendQuestion = {
  readonly series: readonly TrendSeries[];
  readonly breakdown: TrendBreakdown | null;
  readonly condition: Condition | null;
};

/** Reads a question about a trend. Faults name their place. */
export function readTrend(asked: AskedTrend, context: ConditionContext): Read<TrendQuestion> {
  const { series, breakdown } = asked;
  const parts = { series, ...(breakdown !== undefined && { breakdown }) };
  const bound = tooLarge(parts);
  if (bound !== null) return { ok: false, errors: [bound] };
  const shaped = validate(parts);
  const others = checkPeriods(asked, context);
  if (!shaped.ok) return { ok: false, errors: [...withoutConsequences(shaped.errors), ...others] };
  const counted = shaped.value;
  const findings = { errors: [] as FieldError[], warnings: [] as Warning[] };
  for (const [index, each] of counted.series.entries()) {
    const pointer = `/series/${index}`;
    const event = checkNamedEvent(each, { pointer, context, findings });
    findings.errors.push(...checkMeasure(each, pointer, event?.definition.kind ?? null));
  }
  if (counted.breakdown !== undefined) findings.errors.push(...checkBreakdown(counted.breakdown));
  findings.errors.push(...others);
  const { errors, warnings } = findings;
  if (errors.length > 0) return { ok: false, errors };
  return {
    ok: true,
    question: {
      series: counted.series,
      breakdown: counted.breakdown ?? null,
      condition: conditionOf(asked, context),
    },
    warnings,
  };
}

function checkMeasure(
  { measure }: TrendSeries,
  pointer: string,
  kind: string | null,
): FieldError[] {
  if (typeof measure === 'string')
    return (COUNTED as readonly string[]).includes(measure)
      ? []
      : [
          {
            pointer: `${pointer}/measure`,
            code: 'invalid_value',
            expected: 'events, users, or {"sum": "EUR"}',
          },
        ];
  return kind === null || kind === 'revenue'
    ? []
    : [
        {
          pointer: `${pointer}/measure`,
          code: 'invalid_value',
          expected: 'events or users: only events of the kind revenue have a sum',
        },
      ];
}

function checkBreakdown(breakdown: TrendBreakdown): FieldError[] {
  const named = TREND_BREAKDOWNS.filter((key) => key in breakdown);
  if (named.length !== 1)
    return [
      {
        pointer: '/breakdown',
        code: 'exactly_one_of',
        expected: `exactly one of ${TREND_BREAKDOWNS.join(', ')}`,
      },
    ];
  return !('field' in breakdown) || (PROFILE_FIELDS as readonly string[]).includes(breakdown.field)
    ? []
    : [{ pointer: '/breakdown/field', code: 'invalid_value', expected: 'a field of the profile' }];
}
