import {
  COUNTED,
  TREND_BREAKDOWNS,
  TrendSchema,
  type TrendBreakdown,
  type TrendSeries,
} from '@tidings/contracts/analytics/trends';
import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { checkNamedEvent } from '@tidings/segments/leaves/check-event';
import { createValidator } from '@tidings/validation';
import { withoutConsequences } from '@tidings/validation/without-consequences';
import {
  checkAsked,
  checkBreakdown,
  conditionOf,
  tooLarge,
  type AskedOfAll,
  type Read,
} from '../read-asked.ts';

const validate = createValidator<Counted>(TrendSchema);

type Counted = { readonly series: readonly TrendSeries[]; readonly breakdown?: TrendBreakdown };

/** What a caller asks of a trend, as it came. */
export type AskedTrend = AskedOfAll & {
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
  const others = checkAsked(asked, context);
  if (!shaped.ok) return { ok: false, errors: [...withoutConsequences(shaped.errors), ...others] };
  const counted = shaped.value;
  const findings = { errors: [] as FieldError[], warnings: [] as Warning[] };
  for (const [index, each] of counted.series.entries()) {
    const pointer = `/series/${index}`;
    const event = checkNamedEvent(each, { pointer, context, findings });
    findings.errors.push(...checkMeasure(each, pointer, event?.definition.kind ?? null));
  }
  if (counted.breakdown !== undefined)
    findings.errors.push(...checkBreakdown(counted.breakdown, TREND_BREAKDOWNS));
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
