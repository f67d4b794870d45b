import { describe, expect, test } from '@jest/globals';
import { compareRuns, type StoredCall } from './evaluate-runs.ts';

const call = (batch: string, over: Partial<StoredCall> = {}): StoredCall => ({
  batch,
  runs: 1,
  sends: 1,
  deliveries: 1,
  state: 'sent',
  lateMs: 200,
  ...over,
});
const wanted = { expected: ['a-0', 'a-1'], unknownMax: 0, lateMsMax: 5_000 };

describe('runs that callers began', () => {
  test('are right if each is one mail in time', () => {
    expect(compareRuns([call('a-0'), call('a-1', { lateMs: 5_000 })], wanted)).toEqual({
      notes: ['2 runs; the latest delay ended 5000 ms after its instant'],
      violations: [],
    });
  });

  test.each<readonly [string, readonly StoredCall[], string]>([
    ['a batch without a run', [call('a-0')], '1 accepted batches have no run: a-1'],
    [
      'two runs',
      [call('a-0', { runs: 2 }), call('a-1')],
      '1 runs or their mails are duplicated: a-0',
    ],
    [
      'two sends',
      [call('a-0', { sends: 2 }), call('a-1')],
      '1 runs or their mails are duplicated: a-0',
    ],
    [
      'two deliveries',
      [call('a-0', { deliveries: 2 }), call('a-1')],
      '1 runs or their mails are duplicated: a-0',
    ],
    [
      'a run without a mail',
      [call('a-0', { state: null, sends: 0, deliveries: 0 }), call('a-1')],
      '1 runs have no sent mail: a-0 is null',
    ],
    [
      'an unknown mail',
      [call('a-0', { state: 'unknown' }), call('a-1')],
      '1 mails of runs are unknown: a-0',
    ],
    [
      'a late one',
      [call('a-0', { lateMs: 5_001 }), call('a-1')],
      '1 delays ended more than 5000 ms late: a-0 by 5001 ms',
    ],
  ])('are wrong with %s', (_, found, violation) => {
    expect(compareRuns(found, wanted).violations).toEqual([violation]);
  });

  test('are wrong if there is none', () => {
    expect(compareRuns([], { ...wanted, expected: [] }).violations).toEqual([
      'no batch was accepted',
    ]);
  });
});
