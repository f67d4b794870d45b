import {
  BreakdownSchema,
  type FunnelBreakdown,
  type FunnelDefinition,
} from '@tidings/contracts/analytics/funnels';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { createValidator } from '@tidings/validation';
import {
  checkAsked,
  checkBreakdown,
  conditionOf,
  type AskedOfAll,
  type Read,
} from './read-asked.ts';
import { readFunnel } from './read-funnel.ts';

const validateBreakdown = createValidator<object>(BreakdownSchema);
const FUNNEL_BREAKDOWNS = ['field', 'attribute', 'stepAttribute'];

/** What a caller asks of a funnel, as it came. */
export type AskedFunnel = Omit<AskedOfAll, 'timeZone'> & {
  readonly steps: unknown;
  readonly window: unknown;
  readonly breakdown?: unknown;
  readonly visitors?: boolean | undefined;
};

type ReadQuestion = {
  readonly funnel: FunnelDefinition;
  readonly condition: Condition | null;
  readonly breakdown: FunnelBreakdown | null;
};

/** Reads a question about a funnel. Faults name their place. */
export function readFunnelQuestion(
  asked: AskedFunnel,
  context: ConditionContext,
): Read<ReadQuestion> {
  const read = readFunnel({ steps: asked.steps, window: asked.window }, context);
  const errors = [
    ...(read.ok ? [] : read.errors),
    ...checkAsked(asked, context),
    ...checkVisitors(asked),
    ...(asked.breakdown === undefined ? [] : checkParts(asked.breakdown)),
  ];
  if (!read.ok || errors.length > 0) return { ok: false, errors };
  return {
    ok: true,
    question: {
      funnel: read.funnel,
      condition: conditionOf(asked, context),
      breakdown: (asked.breakdown as FunnelBreakdown | undefined) ?? null,
    },
    warnings: read.warnings,
  };
}

/** Members of a segment are registered. */
const checkVisitors = ({ segment, visitors }: AskedFunnel): FieldError[] =>
  segment !== undefined && visitors === true
    ? [
        {
          pointer: '/visitors',
          code: 'invalid_value',
          expected: 'no visitors with a segment, whose members are registered',
        },
      ]
    : [];

function checkParts(value: unknown): FieldError[] {
  const shaped = validateBreakdown(value);
  return shaped.ok
    ? checkBreakdown(shaped.value, FUNNEL_BREAKDOWNS)
    : shaped.errors.map((error) => ({ ...error, pointer: `/breakdown${error.pointer}` }));
}
