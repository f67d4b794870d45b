import { expect, test } from '@jest/globals';
import { createMemory } from './memory.ts';
import { personArray } from './person-array.ts';
import { createPersonIds } from './person-ids.ts';

const persons = createPersonIds(createMemory(16));
const ids = ['00', '11', '22'].map((byte) => byte.repeat(16));
for (const id of ids) persons.add(Buffer.from(id, 'hex'), 0);

test('some persons are an array of one dimension in the binary form of Postgres', () => {
  const bytes = personArray(persons, (person) => person !== 1);

  expect(bytes.toString('hex')).toBe(
    [
      '00000001', // One dimension,
      '00000000', // without nulls,
      '00000b86', // of uuid,
      '00000002', // of this length,
      '00000001', // from 1 on.
      `00000010${ids[0]}`,
      `00000010${ids[2]}`,
    ].join(''),
  );
});

test('none are an array without dimensions', () => {
  expect(personArray(persons, () => false).toString('hex')).toBe('000000000000000000000b86');
});
