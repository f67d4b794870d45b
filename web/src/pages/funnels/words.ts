import type { FunnelBreakdown, FunnelStep } from '@tidings/contracts/analytics/funnels';
import { LIMITS } from '@tidings/contracts/limits';
import { eventName, type Names } from '../../conditions/describe-condition.ts';
import { durationText, splitDuration } from '../../conditions/duration.ts';
import { pathText } from '../../conditions/path-text.ts';
import { humanize } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import type { FunnelPlace, FunnelQuestion } from './draft.ts';

export const stepName = ({ event }: FunnelStep, names: Names): string => eventName(event, names);

/** `item_viewed → cart_filled → item_bought`. */
export const stepsText = (steps: readonly FunnelStep[], names: Names): string =>
  steps.map((step) => isolate(stepName(step, names))).join(' → ');

/** What a funnel is called until it gets another name: its first and its last step. */
export function standardName(steps: readonly FunnelStep[], names: Names): string {
  const [first, last] = [steps[0], steps.at(-1)].map((step) =>
    step === undefined ? '' : stepName(step, names),
  );
  return `${first} → ${last}`.slice(0, LIMITS.segmentNameCharsMax);
}

/** What parts are told apart by: `Country`. */
export const breakdownName = (breakdown: FunnelBreakdown): string =>
  'field' in breakdown ? humanize(breakdown.field) : pathText(Object.values(breakdown)[0] ?? '');

/** A group as a reader knows it. */
export const groupName = (value: unknown, breakdown: FunnelBreakdown): string =>
  value === null
    ? `No ${breakdownName(breakdown).toLocaleLowerCase()}`
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

/** Whom a number counts: `Did cart_filled, not item_bought within 7 days`. */
export function placeText(
  { state, step, ...place }: FunnelPlace,
  question: FunnelQuestion,
  names: Names,
): string {
  const { steps, window, breakdown } = question;
  const named = (index: number): string => {
    const found = steps[index];
    return found === undefined ? '' : isolate(stepName(found, names));
  };
  const [at, next] = [named(step - 1), named(step)];
  const group =
    'group' in place && breakdown !== undefined
      ? `${isolate(groupName(place.group, breakdown))}: `
      : '';
  if (state === 'dropped') return `${group}Did ${at}, not ${next} within ${durationText(window)}`;
  if (state === 'open') return `${group}Did ${at}, and may still do ${next}`;
  return `${group}${step === 1 ? `Started with ${at}` : `Came to ${at}`}`;
}

const UNIT_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** `7d` in milliseconds. */
export function windowMs(window: string): number {
  const { count, unit } = splitDuration(window);
  return Number(count) * (UNIT_MS[unit] ?? 0);
}
