import { expect, test } from '@jest/globals';
import { policiesOf } from './policies-of.ts';

const NIGHT = { from: '21:00', to: '08:00' };
const NOON = { from: '12:00', to: '13:00' };
const CAP = { messages: 3, windowHours: 24 };

test('an application that says nothing has no policies', () => {
  expect(policiesOf('SMS', {})).toEqual({
    timeZone: 'UTC',
    quietHours: null,
    frequencyCap: null,
    dailyCap: null,
    resendOnUnknown: undefined,
  });
});

test('what a channel has of its own comes before the default', () => {
  const settings = {
    timeZone: 'Europe/Berlin',
    quietHours: { default: NIGHT, SMS: NOON },
    frequencyCaps: { default: CAP, EMAIL: { messages: 0, windowHours: 1 } },
    dailyCaps: { SMS: 5, EMAIL: 0 },
    resendOnUnknown: { SMS: true },
  };

  expect(policiesOf('SMS', settings)).toEqual({
    timeZone: 'Europe/Berlin',
    quietHours: NOON,
    frequencyCap: CAP,
    dailyCap: 5,
    resendOnUnknown: true,
  });
  expect(policiesOf('EMAIL', settings)).toEqual({
    timeZone: 'Europe/Berlin',
    quietHours: NIGHT,
    frequencyCap: null,
    dailyCap: null,
    resendOnUnknown: undefined,
  });
});

test('a time zone that nobody knows any more is UTC', () => {
  expect(policiesOf('SMS', { timeZone: 'Europe/Atlantis' }).timeZone).toBe('UTC');
});
