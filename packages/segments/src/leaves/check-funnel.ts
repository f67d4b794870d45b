import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import type { FunnelLeaf } from '../compile/folded-leaves.ts';
import { toMs } from '../durations.ts';
import { checkNamedEvent } from './check-event.ts';
import type { LeafCheck } from './leaf.ts';

const DAY_MS = 86_400_000;

/** Its funnel, a step that the funnel has, and when persons entered. */
export function checkFunnel(node: FunnelLeaf, check: LeafCheck): void {
  const { findings, context, pointer } = check;
  const { funnel } = node;
  const found = typeof funnel === 'string' ? context.funnels.get(funnel) : funnel;
  if (found === undefined)
    findings.errors.push({
      pointer: `${pointer}/funnel`,
      code: 'invalid_value',
      expected: 'the slug of a funnel',
    });
  if (typeof funnel !== 'string') {
    for (const [index, step] of funnel.steps.entries())
      checkNamedEvent(step, { ...check, pointer: `${pointer}/funnel/steps/${index}` });
    if (toMs(funnel.window) > LIMITS.funnelWindowDaysMax * DAY_MS)
      findings.errors.push({
        pointer: `${pointer}/funnel/window`,
        code: 'out_of_range',
        expected: `at most ${LIMITS.funnelWindowDaysMax}d`,
      });
  }
  // Without its funnel, a step may be right.
  const steps = found?.steps.length ?? LIMITS.funnelStepsMax;
  const fault = stepFault(node, steps);
  if (fault !== null) findings.errors.push({ pointer: `${pointer}/step`, ...fault });
  checkEntered(node, check);
}

/** What is wrong with the step of some persons of a funnel. */
export function stepFault(
  { state, step }: Pick<FunnelLeaf, 'state' | 'step'>,
  steps: number,
): Omit<FieldError, 'pointer'> | null {
  if (state === 'converted')
    return step === undefined
      ? null
      : { code: 'invalid_value', expected: 'no step: who converted reached the last one' };
  const last = state === 'reached' ? steps : steps - 1;
  if (step === undefined) return { code: 'required', expected: `a step from 1 to ${last}` };
  return step > last ? { code: 'out_of_range', expected: `at most ${last}` } : null;
}

/** `within`, or both `from` and `to`: all events of all time would be read. */
function checkEntered({ within, from, to }: FunnelLeaf, { findings, context, pointer }: LeafCheck) {
  const { errors, warnings } = findings;
  const daysMax = LIMITS.analyticsRangeDaysMax;
  if (within === undefined) {
    if (from === undefined || to === undefined) errors.push(EITHER(pointer));
    else if (to <= from)
      errors.push({ pointer: `${pointer}/to`, code: 'out_of_range', expected: 'later than from' });
    else if (to - from > daysMax * DAY_MS)
      errors.push({
        pointer: `${pointer}/to`,
        code: 'out_of_range',
        expected: `at most ${daysMax} days after from`,
      });
    return;
  }
  if (from !== undefined || to !== undefined) errors.push(EITHER(pointer));
  else if (toMs(within) > daysMax * DAY_MS)
    errors.push({
      pointer: `${pointer}/within`,
      code: 'out_of_range',
      expected: `at most ${daysMax}d`,
    });
  const days = context.eventRetentionDays;
  if (days !== null && toMs(within) > days * DAY_MS)
    warnings.push({
      code: 'beyond_retention',
      pointer: `${pointer}/within`,
      detail: `The application keeps events for ${days} days.`,
    });
}

const EITHER = (pointer: string): FieldError => ({
  pointer,
  code: 'exactly_one_of',
  expected: 'either within, or both from and to',
});
