import { expect, test } from '@jest/globals';
import { intervalOf } from './estimate.ts';

test('all users asked leave no doubt', () => {
  expect(intervalOf({ members: 7, drawn: 100, registered: 100 })).toEqual({
    count: 7,
    low: 7,
    high: 7,
  });
  expect(intervalOf({ members: 0, drawn: 0, registered: 0 })).toEqual({
    count: 0,
    low: 0,
    high: 0,
  });
});

test.each([
  // Of 10,000: share, Wilson's bounds of 2,000 drawn (by the formula, to the user).
  [1_000, { count: 5_000, low: 4_781, high: 5_219 }],
  [200, { count: 1_000, low: 876, high: 1_140 }],
  [0, { count: 0, low: 0, high: 20 }],
  [2_000, { count: 10_000, low: 9_980, high: 10_000 }],
])('%i members among 2,000 of 10,000', (members, expected) => {
  expect(intervalOf({ members, drawn: 2_000, registered: 10_000 })).toEqual(expected);
});

test('no bound contradicts what was seen', () => {
  for (let members = 0; members <= 40; members += 1) {
    const { low, high } = intervalOf({ members, drawn: 40, registered: 41 });

    expect(low).toBeGreaterThanOrEqual(members);
    expect(high).toBeLessThanOrEqual(members + 1);
    expect(low).toBeLessThanOrEqual(high);
  }
});
