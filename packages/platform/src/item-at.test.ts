import { expect, test } from '@jest/globals';
import { itemAt } from './item-at.ts';

test('returns the item', () => {
  expect(itemAt(['a', 'b'], 1)).toBe('b');
});

test.each([2, -1])('throws for index %i of two items', (index) => {
  expect(() => itemAt(['a', 'b'], index)).toThrow(`no item ${index} in a list of 2`);
});
