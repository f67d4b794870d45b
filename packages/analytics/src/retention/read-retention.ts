import type { FunnelStep } from '@tidings/contracts/analytics/funnels';
import { RetentionSchema } from '@tidings/contracts/analytics/trends';
import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { checkNamedEvent } from '@tidings/segments/leaves/check-event';
import { createValidator } from '@tidings/validation';
import { withoutConsequences } from '@tidings/validation/without-consequences';
import { checkAsked, conditionOf, tooLarge, type AskedOfAll, type Read } from '../read-asked.ts';

const validate = createValidator<Events>(RetentionSchema);

type Events = { readonly start: FunnelStep; readonly return?: FunnelStep };

/** What a caller asks of retention, as it came. */
export type AskedRetention = AskedOfAll & {
  readonly start: unknown;
  readonly return?: unknown;
};

export type RetentionQuestion = {
  readonly start: FunnelStep;
  readonly returns: FunnelStep;
  readonly condition: Condition | null;
};

/** Reads a question about retention. Faults name their place. */
export function readRetention(
  asked: AskedRetention,
  context: ConditionContext,
): Read<RetentionQuestion> {
  const events = {
    start: asked.start,
    ...(asked.return !== undefined && { return: asked.return }),
  };
  const bound = tooLarge(events);
  if (bound !== null) return { ok: false, errors: [bound] };
  const shaped = validate(events);
  const others = checkAsked(asked, context);
  if (!shaped.ok) return { ok: false, errors: [...withoutConsequences(shaped.errors), ...others] };
  const { start, return: returns } = shaped.value;
  const findings = { errors: [] as FieldError[], warnings: [] as Warning[] };
  checkNamedEvent(start, { pointer: '/start', context, findings });
  if (returns !== undefined) checkNamedEvent(returns, { pointer: '/return', context, findings });
  findings.errors.push(...others);
  const { errors, warnings } = findings;
  if (errors.length > 0) return { ok: false, errors };
  return {
    ok: true,
    question: { start, returns: returns ?? start, condition: conditionOf(asked, context) },
    warnings,
  };
}
