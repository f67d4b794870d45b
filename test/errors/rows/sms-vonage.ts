import {
  ambiguous,
  failing,
  invalid,
  limited,
  misconfigured,
  rejected,
  reportedLater,
  type Effect,
  type ProviderError,
} from '../provider-error.ts';

const row = (
  signal: string,
  fault: Readonly<Record<string, unknown>>,
  effect: Effect,
): ProviderError => ({
  channel: 'SMS',
  provider: 'vonage',
  signal,
  provocation: { fault },
  effect,
});
const code = (status: number, signal: string, effect: Effect): ProviderError =>
  row(signal, { kind: 'status', status, code: signal.split(' ')[0] }, effect);
const later = (vonageCode: number, words: string, effect: Effect): ProviderError =>
  row(`callback ${vonageCode} ${words}`, { kind: 'reject', code: String(vonageCode) }, effect);
const settings = (
  signal: string,
  changed: Readonly<Record<string, unknown>>,
  effect: Effect,
): ProviderError => ({
  channel: 'SMS',
  provider: 'vonage',
  signal,
  provocation: { settings: changed },
  effect,
});

const WAIT = [0, 30] as const;

/** Vonage: answers of the Messages API and status webhooks. */
export const VONAGE_ERRORS: readonly ProviderError[] = [
  code(401, 'unauthorized', misconfigured('provider_auth')),
  settings(
    'unauthorized: another application',
    { applicationId: '00000000-0000-4000-8000-000000000002' },
    misconfigured('provider_auth'),
  ),
  code(402, 'low-balance', misconfigured('provider_auth')),
  code(403, 'forbidden', misconfigured('provider_auth')),
  code(422, '1060 account barred', misconfigured('provider_auth')),
  code(422, '1070 no credit left', misconfigured('provider_auth')),
  code(422, '1110 wrong signature', misconfigured('provider_auth')),
  code(422, '1080 account not enabled', misconfigured('provider_rejected')),
  code(422, '1140 feature not enabled', misconfigured('provider_rejected')),
  settings(
    '1020 invalid parameter: from',
    { from: 'A name too long for Vonage' },
    misconfigured('provider_rejected'),
  ),
  code(422, '1120 sender not allowed in the country', misconfigured('provider_rejected', false)),
  code(422, '1160 trial account', misconfigured('provider_rejected', false)),
  code(422, '1170 not a phone number', invalid('invalid_address', 'suppressed')),
  code(422, '1190 number no longer used', invalid('invalid_address', 'suppressed')),
  code(422, '1240 has said STOP', invalid('sms_stop', 'suppressed')),
  code(422, '1040 unknown prefix', rejected()),
  code(422, '1050 number barred', rejected()),
  code(422, '1250 no route to the number', rejected()),
  code(422, '1010 parameter missing', rejected()),
  code(422, '1130 time to live', rejected()),
  code(422, '1090 text too long', rejected('payload_too_large')),
  code(422, '1100 not submitted', failing(WAIT)),
  code(429, '1000 too many requests', limited()),
  code(429, '1241 too many to the number', limited()),
  row(
    '429 with Retry-After: 7',
    { kind: 'status', status: 429, retryAfterSeconds: 7 },
    limited([7, 7.7]),
  ),
  row('503', { kind: 'status', status: 503, code: '1030' }, failing(WAIT)),
  row('500', { kind: 'status', status: 500 }, ambiguous),
  row('502', { kind: 'status', status: 502, code: '1030' }, ambiguous),
  {
    channel: 'SMS',
    provider: 'vonage',
    signal: 'connection refused',
    provocation: { isUnreachable: true },
    effect: failing(WAIT),
  },
  row('connection reset after the request', { kind: 'reset' }, ambiguous),
  later(1000, 'throttled', reportedLater('failed', 'rate_limited')),
  later(1030, 'internal error', reportedLater('failed', 'provider_unavailable')),
  later(1070, 'no credit left', reportedLater('failed', 'provider_auth')),
  later(1090, 'text too long', reportedLater('failed', 'payload_too_large')),
  later(1170, 'not a phone number', reportedLater('failed', 'invalid_address', 'suppressed')),
  later(1180, 'out of reach', reportedLater('failed', 'provider_unavailable')),
  later(1190, 'no longer used', reportedLater('failed', 'invalid_address', 'suppressed')),
  later(1210, 'filtered', reportedLater('failed', 'provider_rejected')),
  later(1230, 'error of the network', reportedLater('failed', 'provider_unavailable')),
  later(1240, 'has said STOP', reportedLater('failed', 'sms_stop', 'suppressed')),
  later(1300, 'not of the network', reportedLater('failed', 'invalid_address', 'suppressed')),
  later(1330, 'unknown', reportedLater('failed', 'provider_rejected')),
  later(1360, 'time to live over', reportedLater('expired', null)),
  row(
    'answer lost, callback delivered',
    { kind: 'drop_reply' },
    { ...reportedLater('delivered', null), status: 'unknown' },
  ),
];
