import { expect, test } from '@jest/globals';
import { createReturnTokens } from './return-tokens.ts';
import { createIdSigner } from './signed-id.ts';

const key = 'a key for tests, of thirty-two characters';
const tokens = createReturnTokens(key, 'tests');
const attempt = { deliveryId: '01a1fda0-7f01-73ac-9ab1-82b6d3569097', fence: 3 };

test('a token names its attempt, and knows the address that it went to, in any letter case', () => {
  const opened = tokens.open(tokens.sign(attempt, 'Ada@Example.org').toUpperCase());

  expect(opened).toMatchObject(attempt);
  expect(
    ['ada@example.org', 'ADA@EXAMPLE.ORG', 'ada@example.com', ''].map((address) =>
      opened?.isTo(address),
    ),
  ).toEqual([true, true, false, false]);
});

test.each([
  ['ada@münchen.example', 'ada@xn--mnchen-3ya.example'],
  ['ada@xn--mnchen-3ya.example', 'Ada@MÜNCHEN.example'],
])('it knows %j in the form of a report, %j', (signed, reported) => {
  const opened = tokens.open(tokens.sign(attempt, signed));

  expect(opened?.isTo(reported)).toBe(true);
  expect(opened?.isTo('ada@munchen.example')).toBe(false);
});

test('a token of an earlier version, which signed the lower case, knows that spelling', () => {
  const opened = tokens.open('03h9yx2aaewjr7zlwdvx9na8n.3.e8tl0yy725cvc0a6n8bs8zlnn');

  expect(
    ['Ada@MÜNCHEN.example', 'ada@munchen.example'].map((address) => opened?.isTo(address)),
  ).toEqual([true, false]);
});

test('it consists of lower-case letters and digits, and with a prefix fits into 64 characters', () => {
  const signed = tokens.sign({ ...attempt, fence: 1_295 }, 'ada@example.org');

  expect(signed).toMatch(/^[0-9a-z]{25}\.zz\.[0-9a-z]{25}$/);
  expect(`bounce+${signed}`.length).toBeLessThanOrEqual(64);
});

test('two tokens of one address have nothing in common', () => {
  const seals = [3, 4].map((fence) =>
    tokens
      .sign({ ...attempt, fence }, 'ada@example.org')
      .split('.')[2]
      ?.slice(0, 4),
  );

  expect(seals[0]).not.toBe(seals[1]);
});

test.each([
  ['another attempt', (signed: string) => signed.replace('.3.', '.4.')],
  [
    'another mark',
    (signed: string) =>
      signed.replace(
        /\.(.{24})(.)$/,
        (_, rest: string, last: string) => `.${last === '0' ? '1' : '0'}${rest}`,
      ),
  ],
  [
    'another signature',
    (signed: string) => `${signed.slice(0, -1)}${signed.endsWith('0') ? '1' : '0'}`,
  ],
  ['one more part', (signed: string) => `${signed}.x`],
  ['no seal', () => attempt.deliveryId],
  ['nothing', () => ''],
  ['a signature of ids alone', () => createIdSigner(key, 'tests').sign('id', '3')],
  ['another purpose', () => createReturnTokens(key, 'other').sign(attempt, 'ada@example.org')],
  ['another key', () => createReturnTokens(`${key}!`, 'tests').sign(attempt, 'ada@example.org')],
])('%s does not open', (_name, change) => {
  expect(tokens.open(change(tokens.sign(attempt, 'ada@example.org')))).toBeNull();
});

test('what the key before the last change signed opens with its address, and nothing is signed by it', () => {
  const rotated = createReturnTokens(['the key of today, of thirty-two characters', key], 'tests');

  expect(rotated.open(tokens.sign(attempt, 'ada@example.org'))?.isTo('ada@example.org')).toBe(true);
  expect(tokens.open(rotated.sign(attempt, 'ada@example.org'))).toBeNull();
});
