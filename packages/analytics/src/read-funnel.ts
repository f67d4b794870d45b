import { FunnelSchema, type FunnelDefinition } from '@tidings/contracts/analytics/funnels';
import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import { boundsFault } from '@tidings/segments/condition-bounds';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { toMs } from '@tidings/segments/durations';
import { checkNamedEvent } from '@tidings/segments/leaves/check-event';
import { createValidator } from '@tidings/validation';
import { withoutConsequences } from '@tidings/validation/without-consequences';

const validate = createValidator<FunnelDefinition>(FunnelSchema);

const DAY_MS = 86_400_000;
/** Levels of JSON: steps, a step, its `where`, a comparison, a moment. */
const DEPTH_MAX = 8;

/** A funnel that can be asked, or what is wrong with it. */
export type ReadFunnel =
  | { readonly ok: true; readonly funnel: FunnelDefinition; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** Reads a funnel from JSON. Faults name their place. */
export function readFunnel(value: unknown, context: ConditionContext): ReadFunnel {
  const tooLarge = boundsFault(value, '', {
    bytesMax: LIMITS.conditionBytesMax,
    depthMax: DEPTH_MAX,
    depthExpected: 'no deeper than a step and its comparisons',
  });
  if (tooLarge !== null) return { ok: false, errors: [tooLarge] };
  const shaped = validate(value);
  if (!shaped.ok) return { ok: false, errors: withoutConsequences(shaped.errors) };
  const funnel = shaped.value;
  const findings = { errors: [] as FieldError[], warnings: [] as Warning[] };
  for (const [index, step] of funnel.steps.entries())
    checkNamedEvent(step, { pointer: `/steps/${index}`, context, findings });
  if (toMs(funnel.window) > LIMITS.funnelWindowDaysMax * DAY_MS)
    findings.errors.push({
      pointer: '/window',
      code: 'out_of_range',
      expected: `at most ${LIMITS.funnelWindowDaysMax}d`,
    });
  const { errors, warnings } = findings;
  return errors.length > 0 ? { ok: false, errors } : { ok: true, funnel, warnings };
}
