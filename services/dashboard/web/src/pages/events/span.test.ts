import { expect, test } from '@jest/globals';
import { firstOf, spanOf } from './span.ts';

const NOW = Date.UTC(2026, 0, 31, 12, 34);

test('a span begins so many hours or days before the hour that is under way', () => {
  expect(firstOf(spanOf('24h'), NOW)).toBe(Date.UTC(2026, 0, 30, 13));
  expect(firstOf(spanOf('30d'), NOW)).toBe(Date.UTC(2026, 0, 2, 12));
});

test('an address that names no span means a week', () => {
  expect(spanOf('').steps).toBe(168);
});
