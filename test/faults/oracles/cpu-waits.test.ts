import { expect, test } from '@jest/globals';
import { cpuWaitMs, waitedMs } from './cpu-waits.ts';

const samples = [0, 100, 200, 300].map((at) => ({ at, sumMs: at / 2 }));

test('only what was waited inside of the window counts', () => {
  expect(waitedMs(samples, { from: 50, to: 350 })).toBe(100);
  expect(waitedMs(samples, { from: 120, to: 180 })).toBe(0);
  expect(waitedMs(samples, { from: 400, to: 500 })).toBe(0);
});

test('a process that does not exist has waited for nothing', () => {
  expect(cpuWaitMs(2 ** 30)).toBe(0);
});
