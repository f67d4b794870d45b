import { expect, test } from '@jest/globals';
import { countStates, compareCounts, compareFailures } from './counters.ts';

test('a report counts deliveries by state; each later success state counts in the earlier ones', () => {
  expect(
    countStates([
      'sent',
      'delivered',
      'opened',
      'claimed',
      'retry_wait',
      'failed',
      'unknown',
      'canceled',
    ]),
  ).toEqual({
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

test('reports every different number', () => {
  const counts = countStates(['sent', 'unknown']);

  expect(compareCounts(counts, ['sent', 'unknown'])).toEqual([]);
  expect(compareCounts({ ...counts, successful: 2, unknown: 0 }, ['sent', 'unknown'])).toEqual([
    '2 successful reported, 1 stored',
    '0 unknown reported, 1 stored',
  ]);
});

test('compares failures by reason; one without a reason is internal', () => {
  const deliveries = [
    { state: 'failed', reason: 'invalid_address' },
    { state: 'failed', reason: null },
    { state: 'sent', reason: 'rate_limited' },
  ] as const;

  expect(compareFailures({ invalid_address: 1, internal: 1 }, deliveries)).toEqual([]);
  expect(compareFailures({ invalid_address: 2, no_address: 1 }, deliveries)).toEqual([
    '2 failed for invalid_address reported, 1 stored',
    '0 failed for internal reported, 1 stored',
    '1 failed for no_address reported, 0 stored',
  ]);
});
