import { expect, test } from '@jest/globals';
import { effectsOf } from '@tidings/channel-worker/testing/error-effects';
import { EgressBlockedError, HttpFailure } from '@tidings/egress';
import { classifyTwilioFailure } from './error-map.ts';

const NOW = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

const effectOf = (error: unknown, answer?: Parameters<typeof classifyTwilioFailure>[1]) =>
  effectsOf('SMS', classifyTwilioFailure(error, answer, NOW));

const answered = (
  status: number,
  code: number | undefined,
  headers: Readonly<Record<string, string>> = {},
) =>
  effectOf(Object.assign(new Error('refused'), code === undefined ? {} : { code }), {
    status,
    headers,
    body: '',
  });

type Row = readonly [
  httpStatus: number,
  code: number | undefined,
  status: string,
  state: string,
  reason: string,
  last: string,
  account: string,
];

const INVALID = ['invalid_address', 'failed', 'invalid_address', 'failed', 'works'] as const;
const REFUSED = ['permanent', 'failed', 'provider_rejected', 'failed', 'works'] as const;
const SENDER = [
  'configuration',
  'retry_wait',
  'provider_rejected',
  'retry_wait',
  'misconfigured',
] as const;
const NUMBER_BARRED = [
  'configuration',
  'retry_wait',
  'provider_rejected',
  'retry_wait',
  'works',
] as const;
const AUTH = [
  'configuration',
  'retry_wait',
  'provider_auth',
  'retry_wait',
  'misconfigured',
] as const;
const LIMITED = ['rate_limited', 'retry_wait', 'rate_limited', 'retry_wait', 'limited'] as const;
const DOUBTFUL = ['unknown', 'unknown', 'outcome_unknown', 'unknown', 'failing'] as const;

/**
 * Twilio's response → its class → the delivery's state, now and after the retry time → the
 * account's health.
 */
const ROWS: readonly Row[] = [
  [400, 21211, ...INVALID],
  [400, 21614, ...INVALID],
  [400, 21610, 'invalid_address', 'failed', 'sms_stop', 'failed', 'works'],
  [400, 21612, ...REFUSED],
  [400, 21617, 'permanent', 'failed', 'payload_too_large', 'failed', 'works'],
  [400, 21619, ...REFUSED],
  [400, 21602, ...REFUSED],
  [403, 21408, ...NUMBER_BARRED],
  [400, 21606, ...SENDER],
  [400, 21659, ...SENDER],
  [400, 21603, ...SENDER],
  [401, 20003, ...AUTH],
  [404, 20404, ...AUTH],
  [403, 30002, ...AUTH],
  [400, 21608, ...NUMBER_BARRED],
  [429, 20429, ...LIMITED],
  [429, undefined, ...LIMITED],
  [400, 21611, ...LIMITED],
  [503, 20503, 'transient', 'retry_wait', 'provider_unavailable', 'failed', 'failing'],
  [500, 20500, ...DOUBTFUL],
  [502, undefined, ...DOUBTFUL],
  [504, undefined, ...DOUBTFUL],
  [401, undefined, ...AUTH],
  [307, undefined, ...SENDER],
];

test.each(ROWS)('%i with code %j', (httpStatus, code, status, state, reason, last, account) => {
  expect(answered(httpStatus, code)).toMatchObject({
    status,
    state,
    reason,
    last,
    account,
    isUnmapped: false,
  });
});

test.each([
  [400, 29999],
  [400, undefined],
  [409, undefined],
  [418, 12345],
])(
  '%i with code %j, which the map does not have: refused is refused, and it is counted',
  (httpStatus, code) => {
    expect(answered(httpStatus, code)).toMatchObject({
      status: 'permanent',
      state: 'failed',
      reason: 'provider_rejected',
      account: 'works',
      isUnmapped: true,
    });
  },
);

test.each([
  [429, 20429, { 'retry-after': '7' }, 7_000],
  [429, 20429, { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
  [503, undefined, { 'retry-after': '90' }, 90_000],
  [429, 20429, { 'retry-after': '999999' }, HOUR_MS],
  [400, 21611, {}, 5 * 60_000],
])('%i with code %j and %j waits for %i ms', (httpStatus, code, headers, delayMs) => {
  expect(answered(httpStatus, code, headers as Record<string, string>)).toMatchObject({
    state: 'retry_wait',
    delayMs,
  });
});

test.each([
  ['ECONNREFUSED', false, 'transient', 'retry_wait', 'provider_unavailable'],
  ['ENOTFOUND', false, 'transient', 'retry_wait', 'provider_unavailable'],
  ['ETIMEDOUT', false, 'transient', 'retry_wait', 'provider_timeout'],
  ['ECONNRESET', true, 'unknown', 'unknown', 'outcome_unknown'],
  ['ETIMEDOUT', true, 'unknown', 'unknown', 'outcome_unknown'],
])('no answer, %s, handed over %j: %s', (code, isHandedOver, status, state, reason) => {
  expect(effectOf(new HttpFailure({ code }, { isHandedOver }))).toMatchObject({
    status,
    state,
    reason,
    account: 'failing',
    isUnmapped: false,
  });
});

test('an address that must not be reached is a fault of the settings', () => {
  expect(effectOf(new EgressBlockedError('10.0.0.1'))).toMatchObject({
    status: 'configuration',
    reason: 'provider_rejected',
    account: 'misconfigured',
  });
});
