import { expect, test } from '@jest/globals';
import { adviceOf, deliveryAdvice, ingestAdvice, toDoOf } from './advice.ts';

test('the same code means another thing in another place', () => {
  expect(ingestAdvice('rate_limited').means).toBe('There were too many requests.');
  expect(deliveryAdvice('rate_limited').means).toContain('provider');
});

test('a reason of tomorrow is shown by its code', () => {
  expect(deliveryAdvice('sun_flare').means).toBe('Sun flare.');
  expect(ingestAdvice('sun_flare').means).toBe('Sun flare.');
});

test('where nothing is to be done, nothing is said of it', () => {
  expect(toDoOf(adviceOf('deliveryState', 'sent'))).toBeNull();
  expect(toDoOf(deliveryAdvice('unknown_user'))).toMatch(/^Send a user message/);
});
