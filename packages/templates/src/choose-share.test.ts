import { expect, test } from '@jest/globals';
import { chooseShare } from './choose-share.ts';

const users = Array.from({ length: 20_000 }, (_, index) => `user-${index}`);
const countBy = (campaignId: string, shares: readonly number[]): number[] => {
  const counts = shares.map(() => 0);
  for (const user of users) {
    const index = chooseShare(campaignId, user, shares);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts;
};

test.each([[[1, 1]], [[70, 30]], [[1, 2, 3, 4]], [[1000, 1]]])(
  'users are split as %j',
  (shares) => {
    const total = shares.reduce((sum, share) => sum + share, 0);

    for (const [index, count] of countBy('c1', shares).entries())
      // Five standard deviations.
      expect(Math.abs(count - (users.length * (shares[index] ?? 0)) / total)).toBeLessThan(360);
  },
);

test('the same user always has the same share', () => {
  for (const user of users.slice(0, 100))
    expect(chooseShare('c1', user, [1, 1])).toBe(chooseShare('c1', user, [1, 1]));
});

test('another campaign splits the users otherwise', () => {
  const same = users.filter(
    (user) => chooseShare('c1', user, [1, 1]) === chooseShare('c2', user, [1, 1]),
  );

  expect(same.length / users.length).toBeGreaterThan(0.48);
  expect(same.length / users.length).toBeLessThan(0.52);
});

test('a template alone has all', () => {
  expect(countBy('c1', [7])).toEqual([users.length]);
});
