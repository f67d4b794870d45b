import { expect, test } from '@jest/globals';
import { isSentAgain } from './resending.ts';

test.each([
  ['SMS', undefined, 0, false],
  ['SMS', true, 0, true],
  ['SMS', true, 1, false],
  ['EMAIL', undefined, 0, false],
  ['EMAIL', true, 0, true],
  ['EMAIL', true, 1, false],
  ['WEB_HOOK', undefined, 0, true],
  ['WEB_HOOK', undefined, 5, true],
  ['WEB_HOOK', false, 0, false],
  ['APP_PUSH', undefined, 3, true],
] as const)(
  '%s, the application says %s, after %d repeats: %s',
  (channel, setting, doubts, expected) => {
    expect(isSentAgain(channel, { setting, doubts })).toBe(expected);
  },
);
