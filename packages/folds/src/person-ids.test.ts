import { expect, test } from '@jest/globals';
import { createMemory } from './memory.ts';
import { createPersonIds } from './person-ids.ts';

const BYTES = 16;
/** Like ids that begin with a time: most bits are equal. */
const idOf = (number: number): Buffer => {
  const id = Buffer.alloc(BYTES, 1);
  id.writeUInt32BE(number, 12);
  return id;
};

test('ids have numbers in the order in which they come, while the table grows', () => {
  const persons = createPersonIds(createMemory(10));
  const count = 50_000;
  for (let number = 0; number < count; number += 1) {
    const id = idOf(number * 7);
    expect(persons.find(id, 0)).toBe(-1);
    expect(persons.add(id, 0)).toBe(number);
    // An earlier one keeps its number.
    const earlier = number >> 1;
    expect(persons.add(idOf(earlier * 7), 0)).toBe(earlier);
  }

  expect(persons.size).toBe(count);
  const written = Buffer.alloc(BYTES + 1);
  for (let number = 0; number < count; number += 1) {
    expect(persons.find(idOf(number * 7), 0)).toBe(number);
    expect(persons.find(idOf(number * 7 + 1), 0)).toBe(-1);
    persons.write(number, written, 1);
    expect(written.subarray(1).equals(idOf(number * 7))).toBe(true);
  }
});

test('an id takes its bytes, and at most six to twelve more', () => {
  const memory = createMemory(10);
  const persons = createPersonIds(memory);
  for (let number = 0; number < 1 << 17; number += 1) persons.add(idOf(number), 0);

  expect(memory.used).toBe((1 << 17) * (BYTES + 8));
});

test('ids of one hash are not one', () => {
  const persons = createPersonIds(createMemory(10));
  // The last two words of an id enter its hash in this way.
  const hashed = (word: number): number => Math.imul(word, 0x27d4eb2f);
  const ids = Array.from({ length: 20 }, (_, word) => {
    const id = Buffer.alloc(BYTES, 1);
    id.writeInt32BE(word, 8);
    id.writeInt32BE(hashed(word) ^ hashed(1), 12);
    return id;
  });

  expect(ids.map((id) => persons.add(id, 0))).toEqual([...ids.keys()]);
  expect(ids.map((id) => persons.find(id, 0))).toEqual([...ids.keys()]);
});
