import { describe, expect, test } from '@jest/globals';
import { randomFrom, seedsOfRun } from '@tidings/testing';
import { createFold } from './fold.ts';
import { createGroups } from './groups.ts';
import { createMemory } from './memory.ts';
import { tryEveryChain, type ChainEvent, type ChainQuestion } from './testing/chains.ts';

const SEEDS = Array.from({ length: 40 }, (_, index) => 20_260_101 + index);
const PERSONS_OF_SEED = 1_000;
/** With more, there are too many chains to try. */
const EVENTS_MAX = 9;

/** What the fold says of one person, whose events come in any order. */
function foldPerson(events: readonly ChainEvent[], question: ChainQuestion) {
  const { steps, from, to, asOf, windowMs } = question;
  const groups = createGroups();
  const fold = createFold({ steps, windowMs, groups }, createMemory(16));
  const instants = new Map<number, { steps: number[]; groups: number[] }>();
  for (const { time, matches, group = null } of events.toSorted((a, b) => a.time - b.time)) {
    if (time < from || time > asOf) continue;
    const mask = matches
      .filter((step) => step > 0 || time < to)
      .reduce((bits, step) => bits | (1 << step), 0);
    if (mask === 0) continue;
    const together = instants.get(time) ?? { steps: [], groups: [] };
    together.steps.push(mask);
    together.groups.push(groups.numberOf(group));
    instants.set(time, together);
  }
  for (const [time, together] of instants) fold.applyEvents(0, time, together);
  const reached = fold.reached(0);
  return {
    reached,
    group: groups.values[fold.groupOf(0)] ?? null,
    isOpen: reached > 0 && reached < steps && fold.startOf(0, reached) + windowMs >= asOf,
    stepMs: Array.from({ length: Math.max(0, reached - 1) }, (_, index) =>
      fold.stepMs(0, index + 2),
    ),
  };
}

describe('the fold equals trying every chain', () => {
  const seen = new Map<string, number>();
  const saw = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);

  test.each(seedsOfRun(SEEDS))(
    'of 1,000 persons of seed %i',
    (seed) => {
      const next = randomFrom(seed);
      const integer = (below: number): number => Math.floor(next() * below);
      for (let person = 0; person < PERSONS_OF_SEED; person += 1) {
        const steps = next() < 0.5 ? 2 + integer(3) : 2 + integer(9);
        // Few instants: equal times, and edges of the window and the range to the millisecond.
        const spread = 3 + integer(10);
        const question = {
          steps,
          windowMs: 1 + integer(spread),
          from: integer(3),
          to: 3 + integer(spread),
          asOf: integer(4) === 0 ? integer(spread) : spread + integer(4),
        };
        const isOverlapping = next() < 0.6;
        const events = Array.from({ length: 1 + integer(EVENTS_MAX) }, (): ChainEvent => ({
          time: integer(spread + 1),
          matches: isOverlapping
            ? Array.from({ length: steps }, (_, step) => step).filter(() => next() < 0.4)
            : [integer(steps)],
          group: [null, 'a', 'b', 'c'][integer(4)] as string | null,
        }));

        const expected = tryEveryChain(events, question);

        expect({ question, events, ...foldPerson(events, question) }).toEqual({
          question,
          events,
          ...expected,
        });
        if (expected.isOpen) saw('open');
        else if (expected.reached > 0 && expected.reached < steps) saw('dropped');
        else if (expected.reached === steps) saw('converted');
        if (expected.reached > 2) saw('long');
      }
    },
    120_000,
  );

  test('of each outcome there were many', () => {
    for (const what of ['open', 'dropped', 'converted', 'long'])
      expect(seen.get(what) ?? 0).toBeGreaterThan(PERSONS_OF_SEED / 2);
  });
});

describe('by hand', () => {
  const at = (time: number, ...matches: number[]): ChainEvent => ({ time, matches });
  const question = { steps: 2, windowMs: 10, from: 0, to: 100, asOf: 1_000 };
  const reached = (events: readonly ChainEvent[], changes: Partial<ChainQuestion> = {}) =>
    foldPerson(events, { ...question, ...changes }).reached;

  test.each([
    ['an event serves one step', [at(1, 0, 1)], 1],
    ['two events serve two', [at(1, 0, 1), at(2, 0, 1)], 2],
    ['two at the same time, too', [at(1, 0, 1), at(1, 0, 1)], 2],
    ['equal times are in the order of the steps', [at(1, 1), at(1, 0)], 2],
    ['the window includes its end', [at(1, 0), at(11, 1)], 2],
    ['and ends there', [at(1, 0), at(12, 1)], 1],
    ['any entry counts', [at(1, 0), at(20, 0), at(25, 1)], 2],
    ['a later entry does not hide an earlier chain', [at(1, 0), at(5, 1), at(90, 0)], 2],
  ])('%s', (_rule, events, expected) => {
    expect(reached(events)).toBe(expected);
  });

  test('an event takes another step where one needs it', () => {
    const events = [at(1, 0, 1, 2), at(1, 0), at(1, 1)];

    expect(reached(events, { steps: 3 })).toBe(3);
  });

  test('100,000 events of a person at one instant are few', () => {
    const events = Array.from({ length: 100_000 }, () => 0b11_1111_1111);
    const fold = createFold({ steps: 10, windowMs: 1 }, createMemory(16));

    fold.apply(0, 1, events);

    expect(fold.reached(0)).toBe(10);
  });
});

test('a fold takes no more than 24 bytes for each step of a person', () => {
  for (const steps of [2, 4, 10]) {
    const memory = createMemory(256);
    const fold = createFold({ steps, windowMs: 1 }, memory);
    const persons = 1 << 14;
    for (let person = 0; person < persons; person += 1) fold.apply(person, 1, [1]);

    expect(memory.used / persons).toBeLessThanOrEqual(24 * steps);
  }
});

test('a fold with more persons than its memory holds says so', () => {
  const fold = createFold({ steps: 4, windowMs: 1 }, createMemory(1));

  expect(() => {
    for (let person = 0; person < 20_000; person += 1) fold.apply(person, 1, [1]);
  }).toThrow('more memory');
});
