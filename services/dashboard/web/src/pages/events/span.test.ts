import { expect, test } from '@jest/globals';
import { missingBefore, queryOf, spanOf } from './span.ts';

test('a span asks for its last hours or days', () => {
  expect(queryOf(spanOf('24h'))).toEqual({ step: 'hour', points: 24 });
  expect(queryOf(spanOf('30d'))).toEqual({ step: 'day', points: 30 });
});

test('an address that names no span means a week', () => {
  expect(spanOf('').points).toBe(168);
});

test('what is still being counted matters up to a day after its arrival', () => {
  const points = [{ at: 86_400_000 }, { at: 90_000_000 }];

  expect([null, 0, 1, 90_000_000].map((countedFrom) => missingBefore(countedFrom, points))).toEqual(
    [null, null, 1, 90_000_000],
  );
});
