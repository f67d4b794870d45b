import { expect, test } from '@jest/globals';
import { expiryMs } from './expiry.ts';

const HOUR_MS = 3_600_000;

test.each([
  ['SMS', undefined, 24 * HOUR_MS],
  ['EMAIL', undefined, 72 * HOUR_MS],
  ['WEB_PUSH', undefined, 28 * 24 * HOUR_MS],
  ['APP_PUSH', undefined, 30 * 24 * HOUR_MS],
  ['IN_APP', undefined, 30 * 24 * HOUR_MS],
  ['ON_SITE', undefined, 30 * 24 * HOUR_MS],
  ['WEB_HOOK', undefined, 30 * 24 * HOUR_MS],
  ['APP_PUSH', null, 30 * 24 * HOUR_MS],
  ['APP_PUSH', 0, 60_000],
  ['APP_PUSH', 1, 1_000],
  ['APP_PUSH', 2_419_200, 2_419_200_000],
  ['APP_PUSH', 9_999_999_999, 2_419_200_000],
  ['EMAIL', 5, 72 * HOUR_MS],
] as const)('%s with a ttl of %s may be handed over for %d ms', (channel, ttl, expected) => {
  expect(expiryMs(channel, { body: 'b', ttl })).toBe(expected);
});
