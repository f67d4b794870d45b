import { expect, test } from '@jest/globals';
import { checkEntered } from './entered.ts';

const ada = { customUserId: 'ada', key: 'cart-1' };
const bob = { customUserId: 'bob', key: 'cart-1' };

test('those who should have entered once did', () => {
  expect(checkEntered([bob, ada], [ada, bob])).toEqual({ missing: [], wrong: [] });
});

test('who is missing, who should not have entered, and who entered twice are found', () => {
  expect(checkEntered([ada, ada, { customUserId: 'eve', key: '' }], [ada, bob])).toEqual({
    missing: ['bob by cart-1'],
    wrong: ['ada by cart-1 entered 2 times', 'eve by  should not have entered'],
  });
});
