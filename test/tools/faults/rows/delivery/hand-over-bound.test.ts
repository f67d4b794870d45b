import { expect, test } from '@jest/globals';
import { handOverBound } from './hand-over-bound.ts';

test.each([
  [
    'a fifth above the time alone',
    { ms: 119, aloneMs: 100, controlMs: 90, noiseMs: 10 },
    { msMax: 120, isVoid: false },
  ],
  [
    'the noise, where that is more',
    { ms: 39, aloneMs: 20, controlMs: 20, noiseMs: 20 },
    { msMax: 40, isVoid: false },
  ],
  [
    'what the control allows',
    { ms: 170, aloneMs: 100, controlMs: 150, noiseMs: 10 },
    { msMax: 180, isVoid: false },
  ],
  [
    'twice the time alone, where the control allows more',
    { ms: 199, aloneMs: 100, controlMs: 900, noiseMs: 10 },
    { msMax: 200, isVoid: false },
  ],
  [
    'nothing, where both are above that',
    { ms: 201, aloneMs: 100, controlMs: 900, noiseMs: 10 },
    { msMax: 200, isVoid: true },
  ],
  [
    'no second',
    { ms: 1_000, aloneMs: 40, controlMs: 45, noiseMs: 20 },
    { msMax: 65, isVoid: false },
  ],
])('the bound is %s', (_what, measured, expected) => {
  expect(handOverBound(measured)).toEqual(expected);
});
