import { expect, test } from '@jest/globals';
import type { Questions } from '@tidings/segments/questions';
import { estimateAudience } from './segment-push.ts';

const asked = {} as Parameters<Questions['estimate']>[0];
const estimated = (tookMs: number) => ({
  estimate: { count: 7, low: 7, high: 7, isExact: true, sample: [], stillOpen: [] },
  now: 0,
  tookMs,
});

test.each([
  ['in time', estimated(1_999), { count: 7, isSlow: false }],
  ['late', estimated(2_000), { count: 7, isSlow: true }],
  ['never', 'timed_out', { count: null, isSlow: true }],
  ['not, as others ask', 'busy', { count: null, isSlow: false }],
] as const)('an estimate that comes %s', async (_when, answer, expected) => {
  expect(await estimateAudience({ estimate: async () => answer }, { asked })).toEqual(expected);
});
