import { expect, test } from '@jest/globals';
import { createGroups, NO_GROUP } from './groups.ts';

test('numbers that are equal are one value, and texts are not', () => {
  const groups = createGroups();

  expect(
    ['1.5', '1.50', '15', '150', '1.0', '1', '1.00', '"1.0"', '"1.00"', '-0.10', '-0.1'].map(
      (value) => groups.numberOf(value),
    ),
  ).toEqual([0, 0, 1, 2, 3, 3, 3, 4, 5, 6, 6]);
  expect(groups.values).toEqual(['1.5', '15', '150', '1', '"1.0"', '"1.00"', '-0.1']);
});

test('numbers within equal objects and lists are equal', () => {
  const groups = createGroups();

  expect(
    [
      '{"a": [1.50, 2.0], "1.0": "1.50"}',
      '{"a": [1.5, 2], "1.0": "1.50"}',
      '{"a": [1.5, 20], "1.0": "1.50"}',
      '{"a": "\\"1.0", "b": 1.0}',
      '{"a": "\\"1.0", "b": 1}',
      '"1.0, 2.0"',
      '[10, 1.05]',
    ].map((value) => groups.numberOf(value)),
  ).toEqual([0, 0, 1, 2, 2, 3, 4]);
  expect(groups.values).toEqual([
    '{"a": [1.5, 2], "1.0": "1.50"}',
    '{"a": [1.5, 20], "1.0": "1.50"}',
    '{"a": "\\"1.0", "b": 1}',
    '"1.0, 2.0"',
    '[10, 1.05]',
  ]);
});

test('values are in the order of their texts, and none is the greatest', () => {
  const groups = createGroups();
  const [b, a] = ['"b"', '"a"'].map((value) => groups.numberOf(value)) as [number, number];

  expect(groups.numberOf(null)).toBe(NO_GROUP);
  expect([groups.isLess(a, b), groups.isLess(b, a), groups.isLess(a, a)]).toEqual([
    true,
    false,
    false,
  ]);
  expect([groups.isLess(a, NO_GROUP), groups.isLess(NO_GROUP, a)]).toEqual([true, false]);
  expect(groups.isLess(NO_GROUP, NO_GROUP)).toBe(false);
});

test('more than 100,000 values are too many', () => {
  const groups = createGroups();
  for (let value = 0; value < 100_000; value += 1) groups.numberOf(String(value));

  expect(groups.numberOf('7')).toBe(7);
  expect(() => groups.numberOf('100000')).toThrow('too many');
});
