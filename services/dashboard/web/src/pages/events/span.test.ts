import { expect, test } from '@jest/globals';
import { queryOf, spanOf } from './span.ts';

test('a span asks for its last hours or days', () => {
  expect(queryOf(spanOf('24h'))).toEqual({ step: 'hour', points: 24 });
  expect(queryOf(spanOf('30d'))).toEqual({ step: 'day', points: 30 });
});

test('an address that names no span means a week', () => {
  expect(spanOf('').points).toBe(168);
});
