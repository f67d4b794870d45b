import type { FunnelState } from '@tidings/contracts/analytics/funnels';
import type { Fold } from './fold.ts';

export type FunnelTimes = {
  readonly steps: number;
  readonly windowMs: number;
  readonly now: number;
};

/** Some of the persons of a funnel. Of `converted` the last step. */
export type FunnelPart = { readonly state: FunnelState; readonly step: number };

/** Whether a chain of the greatest length may still grow. */
export function isOpen(fold: Fold, person: number, { steps, windowMs, now }: FunnelTimes): boolean {
  const reached = fold.reached(person);
  return reached > 0 && reached < steps && fold.startOf(person, reached) + windowMs >= now;
}

/** Whether a person is one of a part. */
export function isInPart(
  { fold, ...times }: FunnelTimes & { readonly fold: Fold },
  { state, step }: FunnelPart,
  person: number,
): boolean {
  const reached = fold.reached(person);
  if (state === 'reached' || state === 'converted') return reached >= step;
  return reached === step && isOpen(fold, person, times) === (state === 'open');
}

/** How a person stands who came to a step: of the last one they converted. */
export function stateOf(
  { fold, ...times }: FunnelTimes & { readonly fold: Fold },
  person: number,
): Exclude<FunnelState, 'reached'> {
  if (fold.reached(person) === times.steps) return 'converted';
  return isOpen(fold, person, times) ? 'open' : 'dropped';
}
