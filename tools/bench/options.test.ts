import { expect, test } from '@jest/globals';
import { readOptions } from './options.ts';

test.each([
  [[], 'full'],
  [['--quick'], 'small'],
  [['--quick', '--rows', 'full'], 'full'],
  [['--empty'], 'none'],
  [['--rows', 'small'], 'small'],
])('%j has the rows %s', (args, rows) => {
  expect(readOptions(['delivery', ...args])?.rows).toBe(rows);
});

test.each([
  ['an unknown option', ['--fast']],
  ['unknown rows', ['--rows', 'many']],
  ['no pair', ['--pairs', '0']],
  ['a part of a delivery', ['--deliveries', '1.5']],
  ['no minute', ['--minutes', '0']],
])('rejects %s', (_what, args) => {
  expect(readOptions(args)).toBeUndefined();
});

test('reads the checkout to compare with', () => {
  expect(readOptions(['delivery', 'email', '--against', 'a1b2c3', '--pairs', '2'])).toMatchObject({
    positionals: ['delivery', 'email'],
    against: 'a1b2c3',
    pairs: 2,
  });
});
