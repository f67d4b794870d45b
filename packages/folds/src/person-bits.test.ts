import { expect, test } from '@jest/globals';
import { createMemory } from './memory.ts';
import { createPersonBits } from './person-bits.ts';

test('bits of a person are those that were set, in their order', () => {
  const bits = createPersonBits(70, createMemory(1));
  const set = [69, 64, 63, 33, 32, 31, 1, 0, 31];
  for (const bit of set) bits.set(5_000, bit);
  bits.set(5_001, 2);

  const visited: number[] = [];
  bits.visit(5_000, (bit) => visited.push(bit));

  expect(visited).toEqual([0, 1, 31, 32, 33, 63, 64, 69]);
  expect([0, 2, 31, 62, 63, 68, 69].map((bit) => bits.has(5_000, bit))).toEqual([
    true,
    false,
    true,
    false,
    true,
    false,
    true,
  ]);
  expect([bits.has(5_001, 2), bits.has(5_001, 31), bits.has(4_999, 0)]).toEqual([
    true,
    false,
    false,
  ]);
});

test('a person takes a word for 32 bits', () => {
  const memory = createMemory(1);
  const bits = createPersonBits(33, memory);
  bits.set(0, 32);
  bits.set(4_095, 0);

  expect(memory.used).toBe(4_096 * 8);
  expect(() => bits.set(40 * 4_096, 0)).toThrow('more memory');
});
