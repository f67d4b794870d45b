import { expect, test } from '@jest/globals';
import { canariesIn, type Canary } from './canary.ts';

const canary: Canary = { kind: 'phone number', name: 'Ada’s', value: '+44 7700 900842/"quoted"' };

test.each([
  ['as it is', canary.value],
  ['in JSON', JSON.stringify({ phone: canary.value })],
  ['in an address', `https://x.example/?to=${encodeURIComponent(canary.value)}`],
  ['in the hex of a dump', `\\x00${Buffer.from(`a${canary.value}b`).toString('hex')}`],
  ['in other letter case', canary.value.toUpperCase()],
  ...[0, 1, 2].map((before): [string, string] => [
    `in base64 behind ${before} bytes`,
    Buffer.from(`${'x'.repeat(before)}${canary.value}yy`).toString('base64'),
  ]),
])('is found %s', (_how, text) => {
  expect(canariesIn(`before ${text} after`, [canary])).toEqual([canary]);
});

test('is not found in other text', () => {
  expect(canariesIn('+44 7700 900843/"quoted"', [canary])).toEqual([]);
});
