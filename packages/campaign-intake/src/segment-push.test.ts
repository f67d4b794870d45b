import { expect, test } from '@jest/globals';
import type { Questions } from '@tidings/segments/questions';
import { createFakeClock } from '@tidings/testing';
import { estimateAudience } from './segment-push.ts';

const asked = {} as Parameters<Questions['estimate']>[0];
const estimate = { count: 7, low: 7, high: 7, isExact: true, sample: [] };

test.each([
  ['in time', 1_999, { estimate, now: 0 }, { count: 7, isSlow: false }],
  ['late', 2_000, { estimate, now: 0 }, { count: 7, isSlow: true }],
  ['never', 5_000, 'timed_out', { count: null, isSlow: true }],
] as const)('an estimate that comes %s', async (_when, tookMs, answer, expected) => {
  const clock = createFakeClock();
  const questions: Pick<Questions, 'estimate'> = {
    async estimate() {
      clock.advance(tookMs);
      return answer;
    },
  };

  expect(await estimateAudience(questions, { asked }, clock)).toEqual(expected);
});
