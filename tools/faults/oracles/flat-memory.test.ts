import { expect, test } from '@jest/globals';
import { checkFlat, compareHalves, type MemorySample } from './flat-memory.ts';

const MIB = 1024 * 1024;
const sample = (resident: number, liveHeap?: number): MemorySample => ({
  residentBytes: resident * MIB,
  ...(liveHeap !== undefined && { liveHeapBytes: liveHeap * MIB }),
});
const found = (samples: readonly MemorySample[]): readonly string[] | undefined => {
  const halves = compareHalves(samples);
  return halves && checkFlat('worker', halves);
};

test('memory that is constant after a warm-up is flat', () => {
  expect(
    found([
      sample(80, 20),
      sample(150),
      sample(140, 40),
      sample(150, 41),
      sample(160),
      sample(155, 42),
    ]),
  ).toEqual([]);
});

test('less memory in the second half is flat', () => {
  expect(found([sample(200, 80), sample(200, 80), sample(90, 30), sample(90, 30)])).toEqual([]);
});

test.each([
  [
    'resident',
    [sample(100, 30), sample(100, 30), sample(120, 30), sample(149, 30)],
    ['worker: its resident memory grew from 100 MiB in the first half to 149 in the second'],
  ],
  [
    'heap',
    [sample(100, 30), sample(100, 30), sample(100, 40), sample(100, 47)],
    ['worker: its live heap grew from 30 MiB in the first half to 47 in the second'],
  ],
])('finds a leak: %s', (_name, samples, expected) => {
  expect(found(samples)).toEqual(expected);
});

test('too few heap samples give no result', () => {
  expect(found([sample(100, 30), sample(100), sample(100, 30), sample(400, 30)])).toBeUndefined();
});
