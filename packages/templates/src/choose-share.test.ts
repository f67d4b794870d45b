import { expect, test } from '@jest/globals';
import { chooseShare, chooseTemplate } from './choose-share.ts';

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

test('with a trial, its percentage has the templates by their shares, and the rest the chosen one', () => {
  const templates = [{ share: 3 }, { share: 1 }];
  const of = (choice: number | null) => (user: string) =>
    chooseTemplate({ campaignId: 'c1', templates, trial: { percent: 40, choice } }, user);
  const undecided = users.map(of(null));
  const count = (choice: number | null) => undecided.filter((each) => each === choice).length;

  // Five standard deviations.
  expect(Math.abs(count(0) - users.length * 0.3)).toBeLessThan(330);
  expect(Math.abs(count(1) - users.length * 0.1)).toBeLessThan(220);
  expect(Math.abs(count(null) - users.length * 0.6)).toBeLessThan(350);
  // The decision gives none of the first another one.
  expect(users.map(of(1))).toEqual(undecided.map((each) => each ?? 1));
});

test('without a trial the template is that of the share', () => {
  const templates = [{ share: 3 }, { share: 1 }];

  for (const user of users.slice(0, 100))
    expect(chooseTemplate({ campaignId: 'c1', templates }, user)).toBe(
      chooseShare('c1', user, [3, 1]),
    );
});
