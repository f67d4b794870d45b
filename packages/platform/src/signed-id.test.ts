import { expect, test } from '@jest/globals';
import { createIdSigner } from './signed-id.ts';

const key = 'a key for tests, of thirty-two characters';
const signer = createIdSigner(key, 'tests');

test('what was signed opens, and stands in a URL as it is', () => {
  const signed = signer.sign('01a1fda0-7f01-73ac-9ab1-82b6d3569097', '3');

  expect(signer.open(signed)).toEqual(['01a1fda0-7f01-73ac-9ab1-82b6d3569097', '3']);
  expect(encodeURIComponent(signed)).toBe(signed);
});

test.each([
  ['another part', (signed: string) => signed.replace('.3.', '.4.')],
  [
    'another signature',
    (signed: string) => `${signed.slice(0, -1)}${signed.endsWith('A') ? 'Q' : 'A'}`,
  ],
  ['a shorter signature', (signed: string) => signed.slice(0, -2)],
  ['no signature', () => 'id.3'],
  ['nothing', () => ''],
  ['another purpose', () => createIdSigner(key, 'other').sign('id', '3')],
  ['another key', () => createIdSigner(`${key}!`, 'tests').sign('id', '3')],
])('S59 %s does not open', (_name, change) => {
  expect(signer.open(change(signer.sign('id', '3')))).toBeNull();
});

test('what the key before the last change signed opens, and nothing is signed by it', () => {
  const rotated = createIdSigner(['the key of today, of thirty-two characters', key], 'tests');

  expect(rotated.open(signer.sign('id', '3'))).toEqual(['id', '3']);
  expect(rotated.open(rotated.sign('id', '3'))).toEqual(['id', '3']);
  expect(signer.open(rotated.sign('id', '3'))).toBeNull();
});
