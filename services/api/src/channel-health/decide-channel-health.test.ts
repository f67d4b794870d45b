import { describe, expect, test } from '@jest/globals';
import { decideChannelHealth, type EndedAttempts } from './decide-channel-health.ts';

const attempts = (
  outcome: EndedAttempts['outcome'],
  count: number,
  given: Partial<EndedAttempts> = {},
): EndedAttempts => ({
  outcome,
  count,
  reason: outcome === 'failed' ? 'provider_rejected' : null,
  at: 100,
  isAfterLastSuccess: false,
  ...given,
});
const run = { isAfterLastSuccess: true };

describe('the state of a channel by its last hour', () => {
  test.each([
    ['nothing was tried', [], 'idle'],
    ['all succeed', [attempts('succeeded', 1)], 'sending'],
    ['nine fail and none succeeds', [attempts('failed', 9, run)], 'sending'],
    ['ten fail and none succeeds', [attempts('failed', 10, run)], 'failing'],
    ['ten are without an answer', [attempts('unknown', 10, run)], 'failing'],
    ['ten fail before a success', [attempts('failed', 10), attempts('succeeded', 90)], 'degraded'],
    ['9 % fail', [attempts('failed', 9), attempts('succeeded', 91)], 'sending'],
    ['half of 19 fail', [attempts('failed', 10), attempts('succeeded', 9)], 'sending'],
    ['half of 20 fail', [attempts('failed', 10), attempts('succeeded', 10)], 'failing'],
    ['49 % fail', [attempts('failed', 49), attempts('succeeded', 51)], 'degraded'],
    [
      'ten fail after thousands that succeeded',
      [attempts('succeeded', 5_000), attempts('failed', 10, run)],
      'failing',
    ],
  ] as const)('%s', (_name, given, state) => {
    expect(decideChannelHealth(given).state).toBe(state);
  });

  test('what began after the last success is counted from then, with its most frequent reason', () => {
    expect(
      decideChannelHealth([
        attempts('succeeded', 5_000, { at: 100 }),
        attempts('failed', 900, { at: 110, reason: 'payload_too_large' }),
        attempts('failed', 20, { at: 210, reason: 'provider_unavailable', ...run }),
        attempts('failed', 30, { at: 205, reason: 'provider_auth', ...run }),
        attempts('unknown', 5, { at: 220, reason: 'outcome_unknown', ...run }),
      ]),
    ).toEqual({
      state: 'failing',
      since: 205,
      attempts: 55,
      failed: 50,
      unknown: 5,
      reason: 'provider_auth',
    });
  });

  test('where some succeed, the whole hour is counted, and the first failure is its beginning', () => {
    expect(
      decideChannelHealth([
        attempts('succeeded', 20, { at: 100 }),
        attempts('failed', 30, { at: 150 }),
      ]),
    ).toEqual({
      state: 'failing',
      since: 150,
      attempts: 50,
      failed: 30,
      unknown: 0,
      reason: 'provider_rejected',
    });
  });
});
