import type { Changed, Refusal } from '@tidings/automations/automations';
import { LIMITS } from '@tidings/contracts/limits';
import { AppError } from '@tidings/platform';
import { found } from './found-automation.ts';

/** @throws AppError `validation_failed`, `not_found` or `conflict` */
export function changed(outcome: Changed): Extract<Changed, { automation: unknown }> {
  if ('errors' in outcome)
    throw new AppError('validation_failed', 'The automation is not valid.', {
      errors: [...outcome.errors],
    });
  return 'refused' in outcome ? refuse(outcome.refused) : outcome;
}

const REFUSALS: Readonly<Record<Exclude<Refusal, 'not_found'>, string>> = {
  unchanged: 'The draft does not differ from what people enter.',
  draft: 'The automation was never activated.',
  active: 'The automation is active. Pause or stop it first.',
  paused: 'The automation is paused. Resume or stop it first.',
  stopped: 'The automation is stopped.',
  too_many: `An application has at most ${LIMITS.activeAutomationsMax} active automations. Stop one first.`,
  moved: 'The draft was changed meanwhile. Read it again.',
  has_runs: 'People are still in the automation. Wait, or end their runs first.',
};

/** @throws AppError */
export function refuse(refusal: Refusal): never {
  if (refusal === 'not_found') found(null);
  throw new AppError('conflict', REFUSALS[refusal as keyof typeof REFUSALS]);
}
