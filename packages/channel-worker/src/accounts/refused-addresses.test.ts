import { expect, test } from '@jest/globals';
import { createRefusedAddresses } from './refused-addresses.ts';

/** After these answers to one address each: `r` refused, `t` taken. */
function verdictAfter(answers: string): string {
  const refused = createRefusedAddresses();
  for (const [at, answer] of answers.split('').entries()) refused.note('account', { address: `address-${at}`, isRefused: answer === 'r' });
  return refused.judge('account');
}

test.each([
  ['r', 'undecided'],
  ['rrrr', 'undecided'],
  ['rrrrr', 'account'],
  ['tr', 'address'],
  ['trr', 'undecided'],
  ['ttrrr', 'account'],
  ['tttrrr', 'address'],
  [`${'t'.repeat(19)}r`, 'address'],
  // Only the last twenty count.
  [`${'t'.repeat(20)}${'r'.repeat(11)}`, 'account'],
])('after %s a refusal is of the: %s', (answers, verdict) => {
  expect(verdictAfter(answers)).toBe(verdict);
});

test('one address that is refused again and again says nothing of its account', () => {
  const refused = createRefusedAddresses();

  for (let attempt = 0; attempt < 10; attempt += 1) refused.note('account', { address: 'one', isRefused: true });

  expect(refused.judge('account')).toBe('undecided');
});

test('accounts do not speak for each other', () => {
  const refused = createRefusedAddresses();
  for (let at = 0; at < 10; at += 1) refused.note('one', { address: String(at), isRefused: true });
  refused.note('other', { address: 'a', isRefused: false });
  refused.note('other', { address: 'b', isRefused: true });

  expect([refused.judge('one'), refused.judge('other')]).toEqual(['account', 'address']);
});
