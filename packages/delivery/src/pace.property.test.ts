import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { paceOf, plan, type Bound, type Planned } from './pace.ts';

const MINUTE_MS = 60_000;
const NOTHING: Planned = { nextMs: 0, sentMs: 0, spacingMs: 0 };

type Run = { readonly no: number; at: number };

/** An engine: at each step those who are due ask again, and some come anew. Returns who sent when. */
function simulate(
  throttle: Bound,
  steps: readonly { readonly after: number; readonly back: number; readonly come: number }[],
): { readonly sent: readonly Run[]; readonly waiting: readonly Run[] } {
  const pace = paceOf(throttle);
  let planned = NOTHING;
  let clock = 1_800_000_000_000;
  let count = 0;
  let waiting: Run[] = [];
  const sent: Run[] = [];
  for (const { after, back, come } of steps) {
    clock += after;
    // The transaction of another engine began earlier, and waited for the row.
    const now = clock - back;
    const held = waiting.filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at);
    const fresh = Array.from({ length: come }, (): Run => ({ no: (count += 1), at: 0 }));
    const given = plan(planned, { held: held.length, fresh: fresh.length }, { now, pace });
    planned = given.planned;
    const asked = [...held, ...fresh];
    for (const [index, at] of [...given.held, ...given.fresh].entries()) {
      const run = asked[index];
      if (run !== undefined) run.at = at;
    }
    sent.push(...asked.filter(({ at }) => at <= now));
    const isSent = new Set(asked.filter(({ at }) => at <= now));
    waiting = [...waiting, ...fresh].filter((run) => !isSent.has(run));
  }
  return { sent, waiting };
}

/** The most in any time `per`, which has its beginning but not its end. */
function mostWithin(times: readonly number[], perMs: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  let first = 0;
  return sorted.reduce((most, time, last) => {
    while ((sorted[first] ?? 0) <= time - perMs) first += 1;
    return Math.max(most, last - first + 1);
  }, 0);
}

const throttles = fc.record({
  sends: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 50, max: 2_000 })),
  perMs: fc.constantFrom(MINUTE_MS, 60 * MINUTE_MS),
});
const anySteps = fc.array(
  fc.record({
    after: fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 1, max: 400 }) },
      { weight: 2, arbitrary: fc.integer({ min: 1_000, max: 20_000 }) },
      // Engines were stopped, or the automation was paused.
      { weight: 1, arbitrary: fc.integer({ min: 100_000, max: 10_000_000 }) },
    ),
    back: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 2_000 })),
    come: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 300 })),
  }),
  { minLength: 1, maxLength: 150 },
);

describe('a throttle', () => {
  test('sends no more than its number in any of its times, however late engines are', () => {
    fc.assert(
      fc.property(throttles, anySteps, (throttle, steps) => {
        const { sent } = simulate(throttle, steps);
        expect(
          mostWithin(
            sent.map(({ at }) => at),
            throttle.perMs,
          ),
        ).toBeLessThanOrEqual(throttle.sends);
      }),
      { numRuns: 200 },
    );
  });

  test('keeps the order and its rate while engines look several times a second', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 400, maxLength: 400 }),
        (sends, gaps) => {
          const [first, ...rest] = gaps.map((after) => ({ after, back: 0, come: 0 }));
          const { sent } = simulate({ sends, perMs: MINUTE_MS }, [
            { ...(first ?? { after: 1, back: 0 }), come: 3_000 },
            ...rest,
          ]);
          const duration = gaps.slice(1).reduce((sum, gap) => sum + gap, 0);
          const expected = Math.min(
            3_000,
            Math.floor(duration / paceOf({ sends, perMs: MINUTE_MS }).spacingMs),
          );

          expect(sent.map(({ no }) => no)).toEqual(sent.map((_run, index) => index + 1));
          expect(sent.length).toBeGreaterThanOrEqual(expected);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('lets all go in the end, after any disturbance', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const quiet = Array.from({ length: 3_000 }, () => ({ after: 30_000, back: 0, come: 0 }));
        const { waiting } = simulate({ sends: 1_000, perMs: MINUTE_MS }, [...steps, ...quiet]);
        expect(waiting).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  test('begins its queue anew with another pace', () => {
    const slow = plan(
      NOTHING,
      { held: 0, fresh: 100 },
      { now: 1_000_000, pace: paceOf({ sends: 1, perMs: 60 * MINUTE_MS }) },
    );
    const fast = plan(
      slow.planned,
      { held: 0, fresh: 2 },
      { now: 1_000_001, pace: paceOf({ sends: 1_000, perMs: MINUTE_MS }) },
    );

    expect(slow.fresh.at(-1)).toBeGreaterThan(1_000_000 + 98 * 3_600_000);
    expect(fast.fresh.at(-1)).toBeLessThan(1_000_000 + 3_700_000);
  });
});
