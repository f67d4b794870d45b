import { expect, test } from '@jest/globals';
import { edgesOf, everyStep, spanOf } from './span.ts';

const NOW = Date.UTC(2026, 0, 31, 12, 34);
const HOUR_MS = 3_600_000;

test('a span ends with the step that is under way', () => {
  expect(edgesOf(spanOf('24h'), NOW)).toEqual({ first: Date.UTC(2026, 0, 30, 13), last: Date.UTC(2026, 0, 31, 12) });
  expect(edgesOf(spanOf('30d'), NOW)).toEqual({ first: Date.UTC(2026, 0, 2), last: Date.UTC(2026, 0, 31) });
});

test('steps in which nothing was have a place too', () => {
  const points = [{ at: Date.UTC(2026, 0, 31, 11), events: 3 }];

  const all = everyStep(spanOf('24h'), NOW, points);

  expect(all).toHaveLength(24);
  expect(all.filter(({ point }) => point !== undefined)).toEqual([{ at: NOW - (NOW % HOUR_MS) - HOUR_MS, point: points[0] }]);
});

test('what nobody knows is a week', () => {
  expect(spanOf('').steps).toBe(168);
});
