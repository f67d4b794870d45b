import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';
import { ConditionSchema } from '@tidings/contracts/segments/condition-schema';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { createValidator } from '@tidings/validation';
import { withoutConsequences } from '@tidings/validation/without-consequences';
import { boundsFault } from './condition-bounds.ts';
import type { ConditionContext } from './condition-context.ts';
import { checkCondition } from './check-condition.ts';

const validate = createValidator<Condition & { readonly version?: number }>(ConditionSchema, {
  isHot: true,
});

/** A condition that every statement can be made of, or what is wrong with it. */
export type ReadCondition =
  | { readonly ok: true; readonly condition: Condition; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/**
 * Reads a condition from JSON. Faults name their place below `pointer`. Bounds come first, then the
 * schema, then what needs the application: its definitions and segments.
 */
export function readCondition(
  value: unknown,
  context: ConditionContext,
  pointer = '',
): ReadCondition {
  const tooLarge = boundsFault(value, pointer);
  if (tooLarge !== null) return { ok: false, errors: [tooLarge] };
  const shaped = validate(value);
  if (!shaped.ok) {
    const errors = shaped.errors.map((error) => ({
      ...error,
      pointer: `${pointer}${error.pointer}`,
    }));
    return { ok: false, errors: withoutConsequences(errors) };
  }
  const { version: _version, ...condition } = shaped.value;
  const { errors, warnings } = checkCondition(condition as Condition, context, pointer);
  return errors.length > 0
    ? { ok: false, errors }
    : { ok: true, condition: condition as Condition, warnings };
}
