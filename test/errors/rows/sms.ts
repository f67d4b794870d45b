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
): ProviderError => ({ channel: 'SMS', signal, provocation: { fault }, effect });
const code = (status: number, signal: `${number} ${string}`, effect: Effect): ProviderError =>
  row(signal, { kind: 'status', status, code: signal.slice(0, signal.indexOf(' ')) }, effect);
const later = (twilioCode: number, words: string, effect: Effect): ProviderError =>
  row(`callback ${twilioCode} ${words}`, { kind: 'reject', code: String(twilioCode) }, effect);

const WAIT = [0, 30] as const;

/** Twilio: API errors and status callbacks. */
export const SMS_ERRORS: readonly ProviderError[] = [
  code(400, '21211 not a phone number', invalid('invalid_address', 'suppressed')),
  code(400, '21614 not a mobile number', invalid('invalid_address', 'suppressed')),
  code(400, '21610 has said STOP', invalid('sms_stop', 'suppressed')),
  code(400, '21612 no route to the number', rejected()),
  code(400, '21617 text too long', rejected('payload_too_large')),
  code(400, '21619 no text', rejected()),
  code(400, '21602 no body', rejected()),
  code(403, '21408 region not enabled', misconfigured('provider_rejected', false)),
  code(400, '21608 trial account', misconfigured('provider_rejected', false)),
  code(400, '21606 sender not of the account', misconfigured('provider_rejected')),
  code(400, '21659 sender not of Twilio', misconfigured('provider_rejected')),
  code(400, '21603 no sender', misconfigured('provider_rejected')),
  code(401, '20003 wrong credentials', misconfigured('provider_auth')),
  code(404, '20404 no such account', misconfigured('provider_auth')),
  code(403, '30002 account suspended', misconfigured('provider_auth')),
  code(429, '20429 too many requests', limited()),
  row(
    '429 with Retry-After: 7',
    { kind: 'status', status: 429, retryAfterSeconds: 7 },
    limited([7, 7.7]),
  ),
  code(400, '21611 queue of the sender is full', limited([300, 330])),
  row('503', { kind: 'status', status: 503 }, failing(WAIT)),
  row('500', { kind: 'status', status: 500 }, ambiguous),
  row('502', { kind: 'status', status: 502 }, ambiguous),
  {
    channel: 'SMS',
    signal: 'connection refused',
    provocation: { isUnreachable: true },
    effect: failing(WAIT),
  },
  row('connection reset after the request', { kind: 'reset' }, ambiguous),
  later(30003, 'out of reach', reportedLater('failed', 'provider_unavailable')),
  later(30008, 'unknown', reportedLater('failed', 'provider_rejected')),
  later(30001, 'queue overflowed', reportedLater('failed', 'provider_unavailable')),
  later(30004, 'blocked', reportedLater('failed', 'invalid_address', 'suppressed')),
  later(30005, 'unknown handset', reportedLater('failed', 'invalid_address', 'suppressed')),
  later(30006, 'landline', reportedLater('failed', 'invalid_address', 'suppressed')),
  later(30007, 'filtered', reportedLater('failed', 'provider_rejected')),
  later(30034, 'sender not registered', reportedLater('failed', 'provider_rejected')),
  later(30032, 'sender not verified', reportedLater('failed', 'provider_rejected')),
  later(30036, 'validity over', reportedLater('expired', null)),
  row(
    'answer lost, callback delivered',
    { kind: 'drop_reply' },
    { ...reportedLater('delivered', null), status: 'unknown' },
  ),
  row(
    'no answer in time, callback delivered',
    { kind: 'delay', delayMs: 8_000 },
    { ...reportedLater('delivered', null), status: 'unknown' },
  ),
];
