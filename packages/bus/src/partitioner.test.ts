import { expect, test } from '@jest/globals';
import { murmur2, partitionOf } from './partitioner.ts';

// From org.apache.kafka.common.utils.UtilsTest#testMurmur2.
test.each([
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ['abc', 479470107],
])('murmur2 of %s is the one of the Java client', (text, hash) => {
  expect(murmur2(Buffer.from(text))).toBe(hash);
});

test('every key has a partition', () => {
  for (let n = 0; n < 1_000; n += 1)
    expect([0, 1, 2]).toContain(partitionOf(Buffer.from(`key-${n}`), 3));
});
