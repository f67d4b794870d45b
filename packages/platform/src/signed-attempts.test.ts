import { expect, test } from '@jest/globals';
import { attemptOf, attemptParts, linkOf, linkParts } from './signed-attempts.ts';

const deliveryId = '01a1fda0-7f01-73ac-9ab1-82b6d3569097';

test.each([
  [deliveryId, 1],
  ['00000000-0000-0000-0000-000000000000', 0],
  ['ffffffff-ffff-ffff-ffff-ffffffffffff', 2_147_483_647],
])('attempt %s %i comes back as it was', (id, fence) => {
  expect(attemptOf(attemptParts({ deliveryId: id, fence }))).toEqual({ deliveryId: id, fence });
});

test('an attempt is short, and in small letters and digits', () => {
  expect(attemptParts({ deliveryId, fence: 35 }).join('.')).toMatch(/^[0-9a-z]{25}\.z$/);
});

test.each([
  [null],
  [[]],
  [['x', '1']],
  [['z'.repeat(25), '1']],
  [[attemptParts({ deliveryId, fence: 1 })[0], '']],
  [[attemptParts({ deliveryId, fence: 1 })[0], '1'.repeat(7)]],
])('%j is no attempt', (parts) => {
  expect(attemptOf(parts)).toBeNull();
});

test('a link comes back with its address', () => {
  const link = {
    deliveryId,
    fence: 2,
    linkCount: 40,
    url: 'https://shop.example/größe?a=1&b=é#part',
  };

  expect(linkOf(linkParts(link))).toEqual(link);
});
