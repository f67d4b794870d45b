import { expect, test } from '@jest/globals';
import type { SendResult } from '@tidings/channel-worker';
import { effectsOf } from '@tidings/channel-worker/testing/error-effects';
import { EgressBlockedError, HttpFailure } from '@tidings/egress';
import { classifyAnswer, classifyFailure } from './hook-outcomes.ts';

const NOW = Date.UTC(2026, 0, 1);

const effectOf = (result: SendResult) => effectsOf('WEB_HOOK', result);

const answered = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  effectOf(classifyAnswer({ status, headers, body: '' }, NOW));

const SENT = { status: 'sent', state: 'sent', account: 'works' };
const REFUSED = {
  status: 'permanent',
  state: 'failed',
  reason: 'provider_rejected',
  account: 'works',
};
const FAILING = {
  status: 'transient',
  state: 'retry_wait',
  reason: 'provider_unavailable',
  second: 'retry_wait',
  last: 'failed',
  account: 'failing',
};

/**
 * The receiver's response → its class → the delivery's state, first and last attempt → the
 * receiver's health.
 */
test.each<[number, object]>([
  [200, SENT],
  [204, SENT],
  [301, REFUSED],
  [307, REFUSED],
  [400, REFUSED],
  [401, REFUSED],
  [403, REFUSED],
  [404, REFUSED],
  [405, REFUSED],
  [422, REFUSED],
  [410, { ...REFUSED, reason: 'subscription_gone' }],
  [413, { ...REFUSED, reason: 'payload_too_large' }],
  [408, FAILING],
  [425, FAILING],
  [
    429,
    {
      status: 'rate_limited',
      state: 'retry_wait',
      reason: 'rate_limited',
      last: 'retry_wait',
      account: 'limited',
    },
  ],
  [500, FAILING],
  [502, FAILING],
  [503, FAILING],
  [599, FAILING],
])('%i', (status, effect) => {
  expect(answered(status)).toMatchObject({ ...effect, isUnmapped: false });
});

test.each([402, 409, 418, 451, 499])(
  '%i, which the map does not have: once more, then it has failed, and it is counted',
  (status) => {
    expect(answered(status)).toMatchObject({
      status: 'transient',
      state: 'retry_wait',
      second: 'failed',
      reason: 'provider_rejected',
      account: 'works',
      isUnmapped: true,
    });
  },
);

test.each([
  [429, '3', 3_000],
  [503, 'Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  [500, '86400', 3_600_000],
  [429, 'nonsense', 30_000],
])('%i with Retry-After %j waits for %i ms', (status, retryAfter, delayMs) => {
  expect(answered(status, { 'retry-after': retryAfter })).toMatchObject({
    state: 'retry_wait',
    delayMs,
  });
});

test.each([
  ['ECONNREFUSED', false, 'provider_unavailable'],
  ['ECONNRESET', true, 'provider_unavailable'],
  ['ETIMEDOUT', true, 'provider_timeout'],
])(
  'no response, %s, handed over %j: retried, since the receiver recognizes its id',
  (code, isHandedOver, reason) => {
    const result = classifyFailure(new HttpFailure({ code }, { isHandedOver }), {
      isUrlOfMessage: false,
    });

    expect(effectOf(result)).toMatchObject({ ...FAILING, reason });
  },
);

test('an address that must not be reached is a fault of the settings, or of the one campaign that names it', () => {
  const refused = (isUrlOfMessage: boolean) =>
    effectOf(classifyFailure(new EgressBlockedError('10.0.0.1'), { isUrlOfMessage }));

  expect(refused(false)).toMatchObject({
    status: 'configuration',
    state: 'retry_wait',
    account: 'misconfigured',
  });
  expect(refused(true)).toMatchObject({ ...REFUSED });
});
