import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import { tryEveryChain } from '@tidings/folds/testing/chains';
import { ms } from './compare.ts';
import { isSuch, slugsOf } from './events.ts';
import { FUNNELS } from './funnel-definitions.ts';
import type { LeafModel } from './leaf-model.ts';
import { DURATIONS } from './values.ts';

/** Funnels in memory. */
export const funnel: LeafModel<LeafOf<'funnel'>> = {
  weight: 2,
  draw(random, { now }) {
    const slug = random.pick([...FUNNELS.keys()]);
    const definition = FUNNELS.get(slug);
    const state = random.pick(['reached', 'dropped', 'dropped', 'open', 'converted'] as const);
    const steps = definition?.steps.length ?? 0;
    const days = random.integer(1, 200);
    return {
      funnel: random.chance(0.3) && definition !== undefined ? definition : slug,
      state,
      ...(state !== 'converted' && {
        step: random.integer(1, state === 'reached' ? steps : steps - 1),
      }),
      ...(random.chance(0.7)
        ? { within: random.pick(['90d', '200d', ...DURATIONS]) }
        : { from: now - days * ms('1d'), to: now - random.integer(0, days - 1) * ms('1d') }),
    };
  },
  evaluate({ funnel: named, state, step, within, from, to }, person, of) {
    const definition = typeof named === 'string' ? of.funnels.get(named) : named;
    if (definition === undefined) return false;
    const { steps, window } = definition;
    const { reached, isOpen } = tryEveryChain(
      person.events.map((event) => ({
        time: event.time,
        matches: steps.flatMap((each, index) =>
          slugsOf(each.event, of).has(event.slug) && isSuch(event, each, of) ? [index] : [],
        ),
      })),
      {
        steps: steps.length,
        windowMs: ms(window),
        from: within === undefined ? Number(from) : of.now - ms(within) + 1,
        to: within === undefined ? Number(to) : of.now + 1,
        asOf: of.now,
      },
    );
    if (state === 'converted') return reached === steps.length;
    if (state === 'reached') return reached >= Number(step);
    return reached === step && isOpen === (state === 'open');
  },
};
