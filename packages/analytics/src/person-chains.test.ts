import { expect, test } from '@jest/globals';
import { tryEveryChain, type ChainEvent, type ChainQuestion } from '@tidings/folds/testing/chains';
import { randomFrom, seedsOfRun } from '@tidings/testing';
import { createPersonChains, type Chain } from './person-chains.ts';

const SEEDS = Array.from({ length: 16 }, (_, index) => 20_260_201 + index);
const PERSONS_OF_SEED = 500;
const EVENTS_MAX = 8;
const REFUSED_MAX = 3;

/** An event that `where` of some steps refuses. */
type DrawnEvent = ChainEvent & { readonly refused: readonly number[] };

const bits = (steps: readonly number[]): number =>
  steps.reduce((sum, step) => sum | (1 << step), 0);

function chainsOf(events: readonly DrawnEvent[], question: ChainQuestion) {
  const { steps, windowMs, from, to, asOf } = question;
  const chains = createPersonChains<DrawnEvent>({ steps, windowMs, refusedMax: REFUSED_MAX });
  const instants = Map.groupBy(
    events.filter(({ time }) => time >= from && time <= asOf),
    ({ time }) => time,
  );
  for (const [time, together] of [...instants].toSorted(([a], [b]) => a - b)) {
    const isStep = (step: number): boolean => step > 0 || time < to;
    chains.apply(
      time,
      together.map((event) => ({
        event,
        matches: bits(event.matches.filter(isStep)),
        refused: bits(event.refused.filter(isStep)),
      })),
    );
  }
  return chains;
}

function listed(chain: Chain<DrawnEvent> | null): DrawnEvent[] {
  return chain === null ? [] : [...listed(chain.before), chain.event];
}

/** What the next step would have been, were it not for its comparisons: one event at a time. */
function plainRefused(events: readonly DrawnEvent[], question: ChainQuestion, reached: number) {
  return events
    .filter(({ refused }) => refused.includes(reached))
    .filter((event) => {
      const accepted = { time: event.time, matches: [...event.matches, reached] };
      const others = events.map((each) => (each === event ? accepted : each));
      return tryEveryChain(others, question).reached > reached;
    });
}

const seen = { chains: 0, refused: 0, ended: 0 };

test.each(seedsOfRun(SEEDS))(
  'chains of one person equal trying every chain, of seed %i',
  (seed) => {
    const next = randomFrom(seed);
    const integer = (below: number): number => Math.floor(next() * below);
    for (let person = 0; person < PERSONS_OF_SEED; person += 1) {
      const steps = 2 + integer(4);
      const spread = 3 + integer(9);
      const question = {
        steps,
        windowMs: 1 + integer(spread),
        from: integer(3),
        to: 3 + integer(spread),
        asOf: integer(4) === 0 ? integer(spread) : spread + 1,
      };
      const every = Array.from({ length: steps }, (_, step) => step);
      const events = Array.from({ length: integer(EVENTS_MAX + 1) }, (): DrawnEvent => {
        const matches = every.filter(() => next() < 0.35);
        return {
          time: integer(spread + 1),
          matches,
          refused: every.filter((step) => !matches.includes(step) && next() < 0.25),
        };
      });
      const shown = { question, events };

      const expected = tryEveryChain(events, question);
      const chains = chainsOf(events, question);

      const reached = chains.reached();
      expect({ shown, reached }).toEqual({ shown, reached: expected.reached });
      const chain = listed(chains.first(reached));
      const times = chain.map(({ time }) => time);
      expect({ shown, different: new Set(chain).size }).toEqual({ shown, different: reached });
      expect({ shown, times }).toEqual({ shown, times: times.toSorted((a, b) => a - b) });
      for (const [step, { matches }] of chain.entries())
        expect({ shown, matches }).toEqual({ shown, matches: expect.arrayContaining([step]) });
      const [begin = question.from] = times;
      const end = times.at(-1) ?? begin;
      const isInside =
        begin >= question.from && begin < question.to && end - begin <= question.windowMs;
      expect({ shown, isInside: isInside || reached === 0 }).toEqual({ shown, isInside: true });
      if (reached > 1) seen.chains += 1;
      const ms = reached > 1 ? end - (times.at(-2) as number) : undefined;
      expect({ shown, ms }).toEqual({ shown, ms: expected.stepMs.at(-1) });
      if (reached === steps) continue;
      const refused = chains.refused(reached + 1).map(({ event }) => event);
      const all = plainRefused(events, question, reached);
      if (all.length > 0) seen.refused += 1;
      expect({ shown, count: refused.length }).toEqual({
        shown,
        count: Math.min(all.length, REFUSED_MAX),
      });
      for (const each of refused)
        expect({ shown, all }).toEqual({ shown, all: expect.arrayContaining([each]) });
      const earliest = all.map(({ time }) => time).toSorted((a, b) => a - b);
      expect({ shown, at: refused.map(({ time }) => time) }).toEqual({
        shown,
        at: earliest.slice(0, REFUSED_MAX),
      });
      if (reached === 0) continue;
      seen.ended += 1;
      const until = chains.startOf(reached) + question.windowMs;
      const isOpen = (asOf: number): boolean => tryEveryChain(events, { ...question, asOf }).isOpen;
      const endsThere =
        until < question.asOf ? isOpen(until) && !isOpen(until + 1) : expected.isOpen;
      expect({ shown, endsThere }).toEqual({ shown, endsThere: true });
    }
  },
);

test('of chains, refused events and ends there were many', () => {
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100);
});
