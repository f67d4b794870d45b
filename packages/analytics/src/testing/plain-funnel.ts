import type { FunnelDefinition } from '@tidings/contracts/analytics/funnels';
import { tryEveryChain, type ChainOutcome } from '@tidings/folds/testing/chains';
import { stringifyExactJson } from '@tidings/platform';
import { toMs } from '@tidings/segments/durations';
import { matchesStep, type ShopPerson } from './create-shop.ts';

/** A question about a shop, and the moment of its answer. */
export type PlainQuestion = {
  readonly funnel: FunnelDefinition;
  readonly from: number;
  readonly to: number;
  readonly now: number;
};

export const plainOutcome = (
  { events }: ShopPerson,
  { funnel, from, to, now }: PlainQuestion,
): ChainOutcome =>
  tryEveryChain(
    events.map((event) => ({
      time: event.time,
      matches: funnel.steps.flatMap((step, at) => (matchesStep(event, step) ? [at] : [])),
      group: event.price === null ? null : stringifyExactJson(event.price),
    })),
    { steps: funnel.steps.length, windowMs: toMs(funnel.window), from, to, asOf: now },
  );

/** The steps of a result, as the API answers it, one person at a time. */
export function plainSteps(outcomes: readonly ChainOutcome[], steps: number) {
  const users = (level: number): number =>
    outcomes.filter(({ reached }) => reached >= level).length;
  const share = (some: number, of: number) => (of === 0 ? null : Number((some / of).toFixed(4)));
  return Array.from({ length: steps }, (_, index) => {
    const level = index + 1;
    const ended = outcomes.filter(({ reached }) => reached === level);
    const times = outcomes
      .filter(({ reached }) => level > 1 && reached >= level)
      .map(({ stepMs }) => stepMs[level - 2] ?? Number.NaN)
      .toSorted((a, b) => a - b);
    const at = (part: number) => times.find((_time, n) => (n + 1) / times.length >= part) ?? null;
    return {
      users: users(level),
      fromStart: share(users(level), users(1)),
      fromPrevious: share(users(level), users(Math.max(1, index))),
      ...(level < steps && {
        dropped: ended.filter(({ isOpen }) => !isOpen).length,
        open: ended.filter(({ isOpen }) => isOpen).length,
      }),
      medianMs: at(0.5),
      p90Ms: at(0.9),
    };
  });
}

/** Whether a person is one of a number. */
export function isPart(
  { reached, isOpen }: ChainOutcome,
  { state, step }: { readonly state: string; readonly step: number },
): boolean {
  if (state === 'reached' || state === 'converted') return reached >= step;
  return reached === step && isOpen === (state === 'open');
}
