import { expect, test } from '@jest/globals';
import { createTripwire, type Passage } from './tripwire.ts';

const POINT = { name: 'before arming', of: 'postgres', at: 'request', pattern: /sending/ } as const;
const PASSAGE: Passage = {
  service: 'worker',
  of: 'postgres',
  at: 'request',
  text: 'set state = sending',
};

test('a trap springs once, at the passage that was asked for, and what passes there does not go on', () => {
  const tripwire = createTripwire();
  let sprung = 0;
  tripwire.set('worker', { point: POINT, passages: 2, spring: () => (sprung += 1) });

  expect(tripwire.pass({ ...PASSAGE, at: 'answer' })).toBe(true);
  expect(tripwire.pass({ ...PASSAGE, text: 'another statement' })).toBe(true);
  expect(tripwire.pass({ ...PASSAGE, service: 'another' })).toBe(true);
  expect(tripwire.pass(PASSAGE)).toBe(true);
  expect([sprung, tripwire.isSet('worker')]).toEqual([0, true]);
  expect(tripwire.pass(PASSAGE)).toBe(false);
  expect([sprung, tripwire.isSet('worker')]).toEqual([1, false]);
  expect(tripwire.pass(PASSAGE)).toBe(true);
});
