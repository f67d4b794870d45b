import { expect, test } from '@jest/globals';
import { createBreakpoints, type WireEvent } from './breakpoints.ts';

const POINT = { name: 'before arming', of: 'postgres', at: 'request', pattern: /sending/ } as const;
const EVENT: WireEvent = {
  service: 'worker',
  of: 'postgres',
  at: 'request',
  text: 'set state = sending',
};

test('a breakpoint triggers once, at the requested event, which is not forwarded', () => {
  const breakpoints = createBreakpoints();
  let sprung = 0;
  breakpoints.set('worker', { point: POINT, passages: 2, spring: () => (sprung += 1) });

  expect(breakpoints.pass({ ...EVENT, at: 'answer' })).toBe(true);
  expect(breakpoints.pass({ ...EVENT, text: 'another statement' })).toBe(true);
  expect(breakpoints.pass({ ...EVENT, service: 'another' })).toBe(true);
  expect(breakpoints.pass(EVENT)).toBe(true);
  expect([sprung, breakpoints.isSet('worker')]).toEqual([0, true]);
  expect(breakpoints.pass(EVENT)).toBe(false);
  expect([sprung, breakpoints.isSet('worker')]).toEqual([1, false]);
  expect(breakpoints.pass(EVENT)).toBe(true);
});
