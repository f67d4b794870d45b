import { expect, test } from '@jest/globals';
import type { RejectionCause, SendResult } from '@tidings/channel-worker';
import { effectsOf } from '@tidings/channel-worker/testing/error-effects';
import { EgressBlockedError, HttpFailure } from '@tidings/egress';
import { TokenRejected } from './access-tokens.ts';
import { classifyAnswer, classifyFailure } from './error-map.ts';

const NOW = Date.UTC(2026, 0, 1);

const effectOf = (result: SendResult) => effectsOf('APP_PUSH', result);

type Answer = {
  readonly code?: string;
  readonly message?: string;
  readonly fields?: readonly string[];
  readonly quota?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly verdict?: RejectionCause;
};

function answered(
  status: number,
  { code, message = 'words', fields = [], quota, headers = {}, verdict = 'undecided' }: Answer = {},
) {
  const details = [
    ...(code === undefined
      ? []
      : [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: code }]),
    ...(fields.length === 0
      ? []
      : [
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: fields.map((field) => ({ field, description: 'words' })),
          },
        ]),
    ...(quota === undefined
      ? []
      : [
          {
            '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
            violations: [{ subject: quota, description: 'words' }],
          },
        ]),
  ];
  return effectOf(
    classifyAnswer(
      {
        status,
        headers,
        body: JSON.stringify({ error: { code: status, message, status: 'WORDS', details } }),
      },
      { nowMs: NOW, causeOfRejection: () => verdict },
    ),
  );
}

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
const SETTINGS = { ...AUTH, reason: 'provider_rejected' };

/**
 * FCM's response → its class → the delivery's state, first and last attempt → the account's health.
 */
test.each<[number, Answer, object]>([
  [404, { code: 'UNREGISTERED' }, GONE],
  [400, { code: 'INVALID_ARGUMENT' }, GONE],
  [400, { message: 'The registration token is not a valid FCM registration token' }, GONE],
  [400, { code: 'INVALID_ARGUMENT', fields: ['message.token'] }, GONE],
  [400, { fields: ['message.data[0].value'] }, REFUSED],
  [400, { code: 'INVALID_ARGUMENT', fields: ['message.android.ttl'] }, REFUSED],
  [400, { fields: ['message.token', 'message.data'] }, REFUSED],
  [400, {}, REFUSED],
  [
    400,
    { code: 'INVALID_ARGUMENT', message: 'Android message is too big' },
    { ...REFUSED, reason: 'payload_too_large' },
  ],
  [403, { code: 'SENDER_ID_MISMATCH', verdict: 'address' }, GONE],
  [403, { code: 'SENDER_ID_MISMATCH', verdict: 'account' }, AUTH],
  [403, { code: 'SENDER_ID_MISMATCH', verdict: 'undecided' }, { ...AUTH, account: 'works' }],
  [401, { code: 'THIRD_PARTY_AUTH_ERROR' }, AUTH],
  [401, {}, AUTH],
  [403, {}, AUTH],
  [404, {}, SETTINGS],
  [307, {}, SETTINGS],
  [429, { code: 'QUOTA_EXCEEDED' }, { ...LIMITED, delayMs: 60_000 }],
  [
    429,
    { code: 'QUOTA_EXCEEDED', quota: 'device:abc' },
    { ...LIMITED, account: 'works', delayMs: 60_000 },
  ],
  [503, { code: 'UNAVAILABLE' }, { ...FAILING, delayMs: 10_000 }],
  [500, { code: 'INTERNAL' }, { ...FAILING, delayMs: 10_000 }],
  [502, {}, FAILING],
])('%i %j', (status, answer, effect) => {
  expect(answered(status, answer)).toMatchObject({ ...effect, isUnmapped: false });
});

test('200 with the name of the message is sent; without one it was not accepted', () => {
  const sent = (body: string) =>
    effectOf(
      classifyAnswer(
        { status: 200, headers: {}, body },
        { nowMs: NOW, causeOfRejection: () => 'undecided' },
      ),
    );

  expect(sent('{"name":"projects/shop/messages/1"}')).toMatchObject({
    status: 'sent',
    state: 'sent',
    account: 'works',
  });
  expect(sent('<html>')).toMatchObject({
    status: 'transient',
    state: 'retry_wait',
    account: 'failing',
  });
});

test.each([402, 405, 409, 418])(
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
  [429, '90', 90_000],
  [503, '60', 60_000],
  [503, '3', 10_000],
  [500, 'Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  [429, '86400', 3_600_000],
])('%i with Retry-After %j waits for %i ms', (status, retryAfter, delayMs) => {
  expect(answered(status, { headers: { 'retry-after': retryAfter } })).toMatchObject({
    state: 'retry_wait',
    delayMs,
  });
});

test.each([
  ['ECONNREFUSED', false, 'provider_unavailable'],
  ['ENOTFOUND', false, 'provider_unavailable'],
  ['ECONNRESET', true, 'provider_unavailable'],
  ['ETIMEDOUT', true, 'provider_timeout'],
])(
  'no response, %s, handed over %j: retried, since the second replaces the first',
  (code, isHandedOver, reason) => {
    expect(
      effectOf(classifyFailure(new HttpFailure({ code }, { isHandedOver }), NOW)),
    ).toMatchObject({ ...FAILING, reason });
  },
);

test.each<[number, object]>([
  [400, AUTH],
  [401, AUTH],
  [403, AUTH],
  [404, AUTH],
  [429, LIMITED],
  [500, FAILING],
  [503, FAILING],
])('no access token, %i', (status, effect) => {
  expect(
    effectOf(
      classifyFailure(
        new TokenRejected('no access token', {
          status,
          headers: {},
          body: '{"error":"invalid_grant"}',
        }),
        NOW,
      ),
    ),
  ).toMatchObject(effect);
});

test('an address that must not be reached is a fault of the settings', () => {
  expect(effectOf(classifyFailure(new EgressBlockedError('10.0.0.1'), NOW))).toMatchObject(
    SETTINGS,
  );
});
