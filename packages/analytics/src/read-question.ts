import {
  BreakdownSchema,
  type FunnelBreakdown,
  type FunnelDefinition,
} from '@tidings/contracts/analytics/funnels';
import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';
import { PROFILE_FIELDS } from '@tidings/contracts/ingest/ingest';
import { LIMITS } from '@tidings/contracts/limits';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { createValidator } from '@tidings/validation';
import { readFunnel } from './read-funnel.ts';

const validateBreakdown = createValidator<{
  field?: string;
  attribute?: unknown;
  stepAttribute?: unknown;
}>(BreakdownSchema);

const DAY_MS = 86_400_000;

/** What a caller asks of a funnel, as it came. */
export type AskedFunnel = {
  readonly steps: unknown;
  readonly window: unknown;
  readonly from: number;
  readonly to: number;
  readonly segment?: string | undefined;
  readonly breakdown?: unknown;
  readonly visitors?: boolean | undefined;
};

export type ReadFunnelQuestion =
  | {
      readonly ok: true;
      readonly question: {
        readonly funnel: FunnelDefinition;
        readonly condition: Condition | null;
        readonly breakdown: FunnelBreakdown | null;
      };
      readonly warnings: readonly Warning[];
    }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** Reads a question about a funnel. Faults name their place. */
export function readFunnelQuestion(
  { steps, window, ...asked }: AskedFunnel,
  context: ConditionContext,
): ReadFunnelQuestion {
  const read = readFunnel({ steps, window }, context);
  const condition = asked.segment === undefined ? null : context.segments.get(asked.segment);
  const errors = [
    ...(read.ok ? [] : read.errors),
    ...checkRange(asked),
    ...checkPersons(asked, condition),
    ...(asked.breakdown === undefined ? [] : checkBreakdown(asked.breakdown)),
  ];
  if (!read.ok || errors.length > 0) return { ok: false, errors };
  return {
    ok: true,
    question: {
      funnel: read.funnel,
      condition: condition ?? null,
      breakdown: (asked.breakdown as FunnelBreakdown | undefined) ?? null,
    },
    warnings: read.warnings,
  };
}

/** A range of a question about all users. */
function checkRange({ from, to }: Pick<AskedFunnel, 'from' | 'to'>): FieldError[] {
  if (to <= from) return [{ pointer: '/to', code: 'out_of_range', expected: 'later than from' }];
  return to - from > LIMITS.analyticsRangeDaysMax * DAY_MS
    ? [
        {
          pointer: '/to',
          code: 'out_of_range',
          expected: `at most ${LIMITS.analyticsRangeDaysMax} days after from`,
        },
      ]
    : [];
}

function checkPersons(
  { segment, visitors }: Pick<AskedFunnel, 'segment' | 'visitors'>,
  condition: Condition | null | undefined,
): FieldError[] {
  if (segment === undefined) return [];
  if (condition === undefined)
    return [{ pointer: '/segment', code: 'invalid_value', expected: 'the slug of a segment' }];
  return visitors === true
    ? [
        {
          pointer: '/visitors',
          code: 'invalid_value',
          expected: 'no visitors with a segment, whose members are registered',
        },
      ]
    : [];
}

function checkBreakdown(value: unknown): FieldError[] {
  const shaped = validateBreakdown(value);
  if (!shaped.ok)
    return shaped.errors.map((error) => ({ ...error, pointer: `/breakdown${error.pointer}` }));
  const { field, attribute, stepAttribute } = shaped.value;
  if ([field, attribute, stepAttribute].filter((each) => each !== undefined).length !== 1)
    return [
      {
        pointer: '/breakdown',
        code: 'exactly_one_of',
        expected: 'exactly one of field, attribute, stepAttribute',
      },
    ];
  return field === undefined || (PROFILE_FIELDS as readonly string[]).includes(field)
    ? []
    : [{ pointer: '/breakdown/field', code: 'invalid_value', expected: 'a field of the profile' }];
}
