import { expect, test } from '@jest/globals';
import type { RejectionCause, SendResult } from '@tidings/channel-worker';
import { effectsOf } from '@tidings/channel-worker/testing/error-effects';
import { EgressBlockedError, HttpFailure } from '@tidings/egress';
import { classifyAnswer, classifyFailure } from './error-map.ts';

const NOW = Date.UTC(2026, 0, 1);

const effectOf = (result: SendResult) => effectsOf('WEB_PUSH', result);

const answered = (
  status: number,
  body: unknown = '',
  {
    headers = {},
    verdict = 'undecided',
  }: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly verdict?: RejectionCause;
  } = {},
) =>
  effectOf(
    classifyAnswer(
      { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
      { nowMs: NOW, causeOfRejection: () => verdict },
    ),
  );

const SENT = { status: 'sent', state: 'sent', account: 'works' };
const REFUSED = {
  status: 'permanent',
  state: 'failed',
  reason: 'provider_rejected',
  account: 'works',
};
const GONE = {
  status: 'invalid_address',
  state: 'failed',
  reason: 'subscription_gone',
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
const LIMITED = {
  status: 'rate_limited',
  state: 'retry_wait',
  reason: 'rate_limited',
  last: 'retry_wait',
  account: 'limited',
};
const AUTH = {
  status: 'configuration',
  state: 'retry_wait',
  reason: 'provider_auth',
  last: 'retry_wait',
  account: 'misconfigured',
};

const mozilla = (code: number, errno: number, message = 'words') => ({
  code,
  errno,
  error: 'words',
  message,
  more_info: '',
});
const google =
  'the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.\n';

/**
 * The push service's response → its class → the delivery's state, first and last attempt → the
 * account's health.
 */
test.each<[number, unknown, object]>([
  [201, '', SENT],
  [200, '', SENT],
  [202, '', SENT],
  [404, mozilla(404, 102), GONE],
  [410, mozilla(410, 106), GONE],
  [410, 'push subscription has unsubscribed or expired.', GONE],
  [410, { reason: 'Unregistered' }, GONE],
  [400, '', REFUSED],
  [400, mozilla(400, 111), REFUSED],
  [400, mozilla(400, 113), REFUSED],
  [400, mozilla(400, 101), GONE],
  [400, mozilla(400, 110), GONE],
  [400, { reason: 'VapidPkHashMismatch' }, GONE],
  [403, google, GONE],
  [401, mozilla(401, 109, 'VAPID public key mismatch'), GONE],
  [400, { reason: 'BadJwtToken' }, AUTH],
  [401, mozilla(401, 109), AUTH],
  [401, '', AUTH],
  [403, { reason: 'BadJwtToken' }, { ...AUTH, account: 'works' }],
  [413, mozilla(413, 104), { ...REFUSED, reason: 'payload_too_large' }],
  [429, mozilla(429, 201), LIMITED],
  [406, '', LIMITED],
  [500, mozilla(500, 999), FAILING],
  [502, '<html>', FAILING],
  [503, mozilla(503, 202), FAILING],
  [301, '', REFUSED],
  [307, '', REFUSED],
])('%i %j', (status, body, effect) => {
  expect(answered(status, body)).toMatchObject({ ...effect, isUnmapped: false });
});

test.each<[RejectionCause, object]>([
  ['address', GONE],
  ['account', AUTH],
  // Kept and retried in a minute while the cause is unknown; one browser does not pause the
  // channel.
  ['undecided', { ...AUTH, account: 'works' }],
])(
  '403 without a word of why, where what else was answered says that it is of the: %s',
  (verdict, effect) => {
    expect(answered(403, '', { verdict })).toMatchObject({ ...effect, isUnmapped: false });
  },
);

test.each([402, 405, 409, 415, 418])(
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
  [406, '60', 60_000],
  [503, 'Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  [500, '86400', 3_600_000],
  [429, 'nonsense', 30_000],
])('%i with Retry-After %j waits for %i ms', (status, retryAfter, delayMs) => {
  expect(answered(status, '', { headers: { 'retry-after': retryAfter } })).toMatchObject({
    state: 'retry_wait',
    delayMs,
  });
});

test('the report has the number of the push service beside the status', () => {
  expect(answered(400, mozilla(400, 110)).providerCode).toBe('400 110');
});

test.each([
  ['ECONNREFUSED', false, 'provider_unavailable'],
  ['ENOTFOUND', false, 'provider_unavailable'],
  ['ECONNRESET', true, 'provider_unavailable'],
  ['ETIMEDOUT', true, 'provider_timeout'],
])(
  'no response, %s, handed over %j: retried, since the second replaces the first',
  (code, isHandedOver, reason) => {
    expect(effectOf(classifyFailure(new HttpFailure({ code }, { isHandedOver })))).toMatchObject({
      ...FAILING,
      reason,
    });
  },
);

test('an endpoint that leads to a private address is a fault of the subscription', () => {
  expect(effectOf(classifyFailure(new EgressBlockedError('10.0.0.1')))).toMatchObject({
    status: 'invalid_address',
    state: 'failed',
    reason: 'invalid_address',
    account: 'works',
  });
});
