import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { shareOf } from './shares.ts';

const PARTITIONS = new Map([
  [1, 6],
  [2, 3],
]);

test('every partition has one owner among the members that read its topic, and shares are even', () => {
  const topicIds = fc.subarray([1, 2], { minLength: 1 });
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ member: fc.uuid(), topicIds }), {
        selector: ({ member }) => member,
        minLength: 1,
        maxLength: 5,
      }),
      (members) => {
        for (const [topicId, partitions] of PARTITIONS) {
          const readers = members.filter((one) => one.topicIds.includes(topicId));
          const shares = readers.map(({ member }) =>
            shareOf(member, members, PARTITIONS)
              .filter((share) => share.topicId === topicId)
              .map(({ part }) => part),
          );
          const sizes = shares.map((share) => share.length);
          expect(shares.flat().toSorted()).toEqual(
            readers.length === 0 ? [] : Array.from({ length: partitions }, (_, part) => part),
          );
          expect(Math.max(0, ...sizes) - Math.min(...sizes, Infinity)).toBeLessThan(2);
        }
      },
    ),
  );
});
