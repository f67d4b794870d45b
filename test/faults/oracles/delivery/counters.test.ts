import { expect, test } from '@jest/globals';
import { countsOf, differencesOf } from './counters.ts';

test('a report is what its deliveries are, each refinement of a success counted in those before it', () => {
  expect(countsOf(['sent', 'delivered', 'opened', 'claimed', 'retry_wait', 'failed', 'unknown', 'canceled'])).toEqual({
    total: 8,
    pending: 2,
    waiting: 0,
    successful: 3,
    delivered: 2,
    failed: 1,
    unknown: 1,
    expired: 0,
    canceled: 1,
  });
});

test('every number that differs is told', () => {
  const counts = countsOf(['sent', 'unknown']);

  expect(differencesOf(counts, ['sent', 'unknown'])).toEqual([]);
  expect(differencesOf({ ...counts, successful: 2, unknown: 0 }, ['sent', 'unknown'])).toEqual(['2 successful reported, 1 there', '0 unknown reported, 1 there']);
});
