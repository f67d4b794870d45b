import { describe, expect, test } from '@jest/globals';
import { createRefusedAddresses } from './refused-addresses.ts';

/** After these answers to one address each: `r` refused, `t` taken. */
function verdictAfter(answers: string): string {
  const refused = createRefusedAddresses();
  for (const [at, answer] of answers.split('').entries())
    refused.note('account', { address: `address-${at}`, isRefused: answer === 'r' });
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

/** The same letters, of the addresses named: what is said of `a` when it is refused without a word. */
function wordlessVerdictAfter(answers: string): string {
  const refused = createRefusedAddresses();
  for (const [address = '', answer] of answers.split(' ').filter(Boolean))
    refused.note('account', { address, isRefused: answer === 'r' });
  return refused.judgeWordless('account', 'a');
}

describe('without a word, a refusal is of one address', () => {
  test.each([
    ['that alone is refused, and again after another was taken', 'ar bt ar', 'address'],
    ['only when it is refused', 'at bt ct', 'undecided'],
    ['never by its first refusal, whatever was taken before', 'bt ct dt et ft gt ar', 'undecided'],
    ['not while nothing is taken since', 'bt ct dt ar ar ar', 'undecided'],
    ['not while another is refused too', 'bt cr ar bt dt et ar', 'undecided'],
    ['that began anew when it was taken', 'ar bt at ar', 'undecided'],
    ['of an account that is refused, of none', 'ar br cr dr et', 'account'],
  ])('%s', (_name, answers, verdict) => {
    expect(wordlessVerdictAfter(answers)).toBe(verdict);
  });

  test('of an account that worked until its key was changed, none is removed', () => {
    const refused = createRefusedAddresses();
    const verdicts: string[] = [];
    for (let at = 0; at < 20; at += 1)
      refused.note('account', { address: `address-${at}`, isRefused: false });

    for (let at = 0; at < 40; at += 1) {
      const address = `address-${at % 20}`;
      refused.note('account', { address, isRefused: true });
      verdicts.push(refused.judgeWordless('account', address));
    }

    expect(new Set(verdicts)).toEqual(new Set(['undecided', 'account']));
    expect(verdicts.indexOf('account')).toBe(10);
  });
});

test('one address that is refused again and again says nothing of its account', () => {
  const refused = createRefusedAddresses();

  for (let attempt = 0; attempt < 10; attempt += 1)
    refused.note('account', { address: 'one', isRefused: true });

  expect(refused.judge('account')).toBe('undecided');
});

test('accounts do not speak for each other', () => {
  const refused = createRefusedAddresses();
  for (let at = 0; at < 10; at += 1) refused.note('one', { address: String(at), isRefused: true });
  refused.note('other', { address: 'a', isRefused: false });
  refused.note('other', { address: 'b', isRefused: true });

  expect([refused.judge('one'), refused.judge('other')]).toEqual(['account', 'address']);
});
