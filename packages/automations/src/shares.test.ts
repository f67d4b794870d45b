import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '@tidings/testing';
import { createShares, inTurns } from './shares.ts';

const runOf = (automationId: string, applicationId: string) => ({ automationId, applicationId });
const namesOf = (runs: readonly { readonly automationId: string }[]): string =>
  runs.map(({ automationId }) => automationId).join(' ');

function newShares() {
  const clock = createFakeClock();
  return { ...createShares(clock), clock };
}

describe('the runs of a step', () => {
  test('are all, while conditions are quick', () => {
    const { choose } = newShares();
    const runs = Array.from({ length: 500 }, (_, n) => runOf(`a${n}`, 'one'));

    expect(choose(runs)).toEqual(runs);
  });

  test('are those of a light application, and of a heavy one what there is time for', () => {
    const { choose, note } = newShares();
    const heavy = Array.from({ length: 10 }, (_, n) => runOf(`h${n}`, 'heavy'));
    for (const { automationId } of heavy) note(automationId, 100);
    const light = runOf('l', 'light');
    note('l', 1);

    expect(namesOf(choose([...heavy, light, light]))).toBe('h0 h1 l l');
  });

  test('are of one automation, however long that takes', () => {
    const { choose, note } = newShares();
    note('slow', 5_000);

    expect(namesOf(choose([runOf('slow', 'one'), runOf('slow', 'one')]))).toBe('slow slow');
  });

  test('take turns by time, with which none waits for ever', () => {
    const { choose, note, clock } = newShares();
    note('slow', 1_000);
    note('quick', 100);
    const steps: string[] = [];
    for (let step = 0; step < 45; step += 1) {
      steps.push(namesOf(choose([runOf('slow', 'one'), runOf('quick', 'other')])));
      clock.advance(100);
    }

    const slow = steps.filter((step) => step === 'slow').length;
    // A half of the time each, which is a tenth of the steps.
    expect(slow).toBeGreaterThanOrEqual(2);
    expect(slow).toBeLessThanOrEqual(8);
    expect(steps.filter((step) => step === 'quick')).toHaveLength(45 - slow);
  });

  test('cost what they have cost lately', () => {
    const { choose, note } = newShares();
    const runs = [runOf('a', 'one'), runOf('b', 'one')];
    note('b', 1_000);
    const first = namesOf(choose(runs));
    for (let step = 0; step < 20; step += 1) note('b', 1);

    expect([first, namesOf(choose(runs))]).toEqual(['a', 'a b']);
  });
});

describe('the changes of a step', () => {
  test('are fewer after a long one, and more again after short ones', () => {
    const shares = createShares(createFakeClock());
    const first = shares.changes;
    shares.noteChanges(first, 1_600);
    const fewer = shares.changes;
    shares.noteChanges(fewer - 1, 1);
    const same = shares.changes;
    shares.noteChanges(fewer, 10);

    expect([first, fewer, same, shares.changes]).toEqual([200, 125, 125, 250]);
  });

  test('are within bounds', () => {
    const shares = createShares(createFakeClock());
    shares.noteChanges(20, 60_000);
    const least = shares.changes;
    for (let step = 0; step < 10; step += 1) shares.noteChanges(shares.changes, 0);

    expect([least, shares.changes]).toEqual([100, 1_000]);
  });
});

test('applications take turns', () => {
  const runs = ['a', 'a', 'a', 'b', 'c', 'c'].map((application, n) => runOf(`${n}`, application));

  expect(namesOf(inTurns(runs))).toBe('0 3 4 1 5 2');
});
