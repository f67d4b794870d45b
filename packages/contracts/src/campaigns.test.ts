import { expect, test } from '@jest/globals';
import { DELIVERY_REASONS, DELIVERY_STATES, STATE_GROUPS, SUCCESS_STATES } from './campaigns.ts';

test('every delivery state is counted in one group, and every success state in its own', () => {
  expect(Object.keys(STATE_GROUPS)).toEqual([...DELIVERY_STATES]);
  expect(SUCCESS_STATES.map((state) => STATE_GROUPS[state])).toEqual([...SUCCESS_STATES]);
});

test('states and reasons are closed lists without repetition', () => {
  expect(new Set(DELIVERY_STATES).size).toBe(DELIVERY_STATES.length);
  expect(new Set(DELIVERY_REASONS).size).toBe(DELIVERY_REASONS.length);
});
