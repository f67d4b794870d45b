import { expect, test } from '@jest/globals';
import { splitNames } from './split-names.ts';

test.each<[string, readonly (readonly [string, string])[]]>([
  ['anna', []],
  ['Anna  Berl', [['Anna', 'Berl']]],
  ['Berlinger, Anna', [['Berlinger', 'Anna']]],
  [
    'Anna Maria von',
    [
      ['Anna', 'Maria von'],
      ['Anna Maria', 'von'],
    ],
  ],
  [
    '山田太郎',
    [
      ['山', '田太郎'],
      ['山田', '太郎'],
      ['山田太', '郎'],
    ],
  ],
  ['山田 太郎', [['山田', '太郎']]],
  [
    '김민수',
    [
      ['김', '민수'],
      ['김민', '수'],
    ],
  ],
  ['', []],
])('%j may be %j', (text, expected) => {
  expect(splitNames(text)).toEqual(expected);
});

test('a long text has eight splits', () => {
  expect(splitNames('a '.repeat(100).trim())).toHaveLength(8);
  expect(splitNames('山'.repeat(200))).toHaveLength(8);
});
