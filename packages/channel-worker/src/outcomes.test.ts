import { describe, expect, test } from '@jest/globals';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import type { RetryPolicy } from '@tidings/contracts/channels/descriptor';
import type { ClaimedDelivery } from '@tidings/delivery/claims';
import type { SendResult } from './channel.ts';
import { RETRY_POLICIES, stateAfterSend } from './outcomes.ts';
import { createCodeLabels } from './unmapped-errors.ts';

const HOUR_MS = 3_600_000;
const policy: RetryPolicy = { baseMs: 1_000, capMs: 60_000, attemptsMin: 3, ageMinMs: HOUR_MS };

function claimed(overrides: Partial<ClaimedDelivery> = {}): ClaimedDelivery {
  return {
    deliveryId: 'd',
    fence: 7,
    customUserId: 'ada',
    serviceUserId: null,
    attempts: 0,
    ageMs: 0,
    testAddress: null,
    ambiguousAttempts: 0,
    timeZone: null,
    suppression: null,
    profile: {},
    settingsVersion: 1,
    ...overrides,
  };
}

const transient: SendResult = { status: 'transient', reason: 'provider_unavailable' };
const limited: SendResult = { status: 'rate_limited' };
const misconfigured: SendResult = { status: 'configuration', reason: 'provider_auth' };

describe('what becomes of a delivery, by the result of its send', () => {
  test.each<[SendResult, object]>([
    [{ status: 'sent' }, { state: 'sent' }],
    [
      { status: 'permanent', reason: 'provider_rejected' },
      { state: 'failed', reason: 'provider_rejected' },
    ],
    [
      { status: 'invalid_address', reason: 'invalid_address' },
      { state: 'failed', reason: 'invalid_address' },
    ],
    [transient, { state: 'retry_wait', reason: 'provider_unavailable' }],
    [limited, { state: 'retry_wait', reason: 'rate_limited', isAttemptReturned: true }],
    [
      misconfigured,
      { state: 'retry_wait', reason: 'provider_auth', isAttemptReturned: true, delayMs: 60_000 },
    ],
    [{ status: 'unknown' }, { state: 'unknown', reason: 'outcome_unknown' }],
    [{ status: 'not_sent' }, { state: 'pending', isAttemptReturned: true }],
  ])('%j', (result, change) => {
    expect(stateAfterSend(claimed(), result, policy)).toMatchObject({
      deliveryId: 'd',
      fence: 7,
      outcome: result.status,
      ...change,
    });
  });

  test.each<[SendResult, object]>([
    [{ status: 'sent' }, { state: 'sent' }],
    [
      { status: 'permanent', reason: 'provider_rejected' },
      { state: 'failed', reason: 'provider_rejected' },
    ],
    [
      { status: 'invalid_address', reason: 'invalid_address' },
      { state: 'failed', reason: 'invalid_address' },
    ],
    [transient, { state: 'failed', reason: 'provider_unavailable' }],
    [limited, { state: 'failed', reason: 'rate_limited' }],
    [misconfigured, { state: 'failed', reason: 'provider_auth' }],
    [{ status: 'unknown' }, { state: 'unknown', reason: 'outcome_unknown' }],
    [{ status: 'not_sent' }, { state: 'pending', isAttemptReturned: true }],
  ])('a test send reports its result and is not retried: %j', (result, change) => {
    expect(stateAfterSend(claimed({ testAddress: 'a@b.example' }), result, policy)).toMatchObject(
      change,
    );
  });
});

describe('retries end when both bounds are passed', () => {
  test.each([
    [0, 0, 'retry_wait'],
    [10, 0, 'retry_wait'],
    [0, 2 * HOUR_MS, 'retry_wait'],
    [1, 2 * HOUR_MS, 'retry_wait'],
    [2, HOUR_MS - 1, 'retry_wait'],
    [2, HOUR_MS, 'failed'],
    [50, 2 * HOUR_MS, 'failed'],
  ])('%i attempts before, made %i ms ago: %s', (attempts, ageMs, state) => {
    expect(stateAfterSend(claimed({ attempts, ageMs }), transient, policy)).toMatchObject({
      state,
      reason: 'provider_unavailable',
    });
  });

  test.each([
    [0, 'retry_wait'],
    [1, 'failed'],
  ])(
    'or the attempts that the result allows are used up: after %i before, %s',
    (attempts, state) => {
      expect(
        stateAfterSend(claimed({ attempts }), { ...transient, attemptsMax: 2 }, policy),
      ).toMatchObject({ state });
    },
  );

  test.each([transient, limited, misconfigured])('now or never has one try: %j', (result) => {
    const change = stateAfterSend(claimed(), result, { ...policy, isNowOrNever: true });

    expect(change).toMatchObject({ state: 'failed' });
    expect(change).not.toHaveProperty('isAttemptReturned');
  });

  test('a deferral and a fault of the settings never end them', () => {
    for (const result of [limited, misconfigured]) {
      expect(
        stateAfterSend(claimed({ attempts: 50, ageMs: 100 * HOUR_MS }), result, policy),
      ).toMatchObject({ state: 'retry_wait' });
    }
  });
});

describe('the wait before a retry', () => {
  test.each([0, 1, 2, 5, 40])('after %i attempts is within its bound', (attempts) => {
    for (let round = 0; round < 50; round += 1) {
      const { delayMs } = stateAfterSend(claimed({ attempts }), transient, policy);

      expect(delayMs).toBeGreaterThanOrEqual(0);
      expect(delayMs).toBeLessThanOrEqual(Math.min(policy.capMs, policy.baseMs * 2 ** attempts));
    }
  });

  test.each<[SendResult, number]>([
    [{ ...transient, retryAfterMs: 120_000 }, 120_000],
    [{ ...transient, retryAfterMs: 10 * HOUR_MS }, HOUR_MS],
    [{ ...limited, retryAfterMs: 5_000 }, 5_000],
    [{ ...limited, retryAfterMs: 10 * HOUR_MS }, HOUR_MS],
    [{ ...limited, retryAfterMs: 0 }, 0],
    [{ ...limited, retryAfterMs: -5 }, 0],
    [limited, 30_000],
  ] as [SendResult, number][])(
    'honours the provider’s, up to an hour, and spreads those who return: %j',
    (result, delayMs) => {
      const waits = [0, 0.5, 1].map(
        (random) => stateAfterSend(claimed(), result, { ...policy, random: () => random }).delayMs,
      );

      expect(waits).toEqual([delayMs, Math.floor(delayMs * 1.05), Math.floor(delayMs * 1.1)]);
    },
  );

  test.each([
    [0, 0.5, 500],
    [0, 1, 1_000],
    [3, 0.25, 2_000],
    [5, 1, 32_000],
    [6, 1, 60_000],
    [40, 0.5, 30_000],
  ])(
    'after %i attempts is drawn from the whole of its span, which doubles up to a cap: %f',
    (attempts, random, delayMs) => {
      expect(
        stateAfterSend(claimed({ attempts }), transient, { ...policy, random: () => random })
          .delayMs,
      ).toBe(delayMs);
    },
  );
});

test('a provider’s words are bounded and such that Postgres can store them', () => {
  const text = `a\u0000b\ud800${'x'.repeat(1_000)}`;
  const change = stateAfterSend(
    claimed(),
    { status: 'sent', providerId: text, providerCode: text, providerMessage: text },
    policy,
  );

  for (const stored of [change.providerId, change.providerCode, change.providerMessage]) {
    expect(stored).toMatch(/^ab\ufffdx+$/);
    expect(stored?.length).toBeLessThanOrEqual(500);
  }
});

test('every channel has a schedule that grows and ends', () => {
  for (const channel of CHANNELS) {
    const { baseMs, capMs, attemptsMin, ageMinMs } = RETRY_POLICIES[channel];

    expect(baseMs).toBeLessThan(capMs);
    expect(attemptsMin).toBeGreaterThan(1);
    expect(ageMinMs).toBeGreaterThan(capMs);
  }
});

describe('unmapped-errors', () => {
  test('a code is its own label, as often as it comes', () => {
    const labelOf = createCodeLabels();

    for (const code of ['21999', '418', 'EWEIRD', '250 2.1.5', '21999'])
      expect(labelOf(code)).toBe(code);
  });

  test.each([undefined, '', 'a text with blanks', 'line\nbreak', 'x'.repeat(25), '418"} 5'])(
    '%j is no label',
    (code) => {
      expect(createCodeLabels()(code)).toBe('other');
    },
  );

  test('any provider codes make at most fifty-one labels', () => {
    const labelOf = createCodeLabels();

    const labels = new Set(Array.from({ length: 1_000 }, (_, index) => labelOf(String(index))));

    expect(labels.size).toBe(51);
    expect(labelOf('7')).toBe('7');
    expect(labelOf('777')).toBe('other');
  });
});
