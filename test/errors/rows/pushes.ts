import {
  failing,
  invalid,
  limited,
  misconfigured,
  rejected,
  type Effect,
  type ProviderError,
  type Provocation,
} from '../provider-error.ts';

type Fault = Readonly<Record<string, unknown>>;
const by =
  (channel: 'WEB_PUSH' | 'APP_PUSH') =>
  (
    signal: string,
    provocation: Fault | { readonly kind?: undefined; readonly provocation: Provocation },
    effect: Effect,
  ): ProviderError => ({
    channel,
    signal,
    provocation:
      'provocation' in provocation
        ? (provocation.provocation as Provocation)
        : { fault: provocation },
    effect,
  });
const web = by('WEB_PUSH');
const app = by('APP_PUSH');

const GONE = invalid('subscription_gone', 'removed');
const WAIT = [0, 10] as const;
/** FCM requires a delay of at least 10 s, and of a minute for an exceeded quota. */
const FCM_WAIT = [10, 11] as const;

/** Browser push services (RFC 8030), with the errors of Mozilla, Google, Apple and Microsoft. */
export const WEB_PUSH_ERRORS: readonly ProviderError[] = [
  web('404 no such subscription', { kind: 'reject', status: 404 }, GONE),
  web('410 unsubscribed', { provocation: { isGone: true } }, GONE),
  web('400 errno 101, missing keys', { kind: 'status', status: 400, code: '101' }, GONE),
  web('400 errno 110, bad keys', { kind: 'status', status: 400, code: '110' }, GONE),
  web(
    '400 VapidPkHashMismatch',
    { kind: 'status', status: 400, code: 'VapidPkHashMismatch' },
    GONE,
  ),
  web('400', { kind: 'status', status: 400, code: '113' }, rejected()),
  web(
    '400 BadJwtToken',
    { kind: 'status', status: 400, code: 'BadJwtToken' },
    misconfigured('provider_auth'),
  ),
  web('401', { kind: 'status', status: 401 }, misconfigured('provider_auth')),
  web(
    '403 of one endpoint, the first',
    { kind: 'status', status: 403 },
    misconfigured('provider_auth', false),
  ),
  web('413', { kind: 'status', status: 413 }, rejected('payload_too_large')),
  web('429', { kind: 'status', status: 429 }, limited()),
  web(
    '429 with Retry-After: 7',
    { kind: 'status', status: 429, retryAfterSeconds: 7 },
    limited([7, 7.7]),
  ),
  web('406 of Windows', { kind: 'status', status: 406 }, limited()),
  web('500', { kind: 'status', status: 500 }, failing(WAIT)),
  web(
    '503 with Retry-After: 20',
    { kind: 'status', status: 503, retryAfterSeconds: 20 },
    failing([20, 22]),
  ),
  web('302', { kind: 'status', status: 302 }, rejected()),
  web('connection reset', { kind: 'reset' }, failing(WAIT)),
  web('answer lost', { kind: 'drop_reply' }, failing(WAIT)),
  web('no response in time', { kind: 'delay', delayMs: 8_000 }, failing(WAIT, 'provider_timeout')),
];

/** FCM v1. */
export const APP_PUSH_ERRORS: readonly ProviderError[] = [
  app('404 UNREGISTERED', { provocation: { isGone: true } }, GONE),
  app('400 INVALID_ARGUMENT, bad token', { kind: 'reject', code: 'INVALID_ARGUMENT' }, GONE),
  app('400 with field violations', { kind: 'reject', code: 'BAD_REQUEST' }, rejected()),
  app(
    '403 SENDER_ID_MISMATCH, the first',
    { kind: 'reject', code: 'SENDER_ID_MISMATCH' },
    misconfigured('provider_auth', false),
  ),
  app(
    '401 THIRD_PARTY_AUTH_ERROR',
    { kind: 'reject', code: 'THIRD_PARTY_AUTH_ERROR' },
    misconfigured('provider_auth'),
  ),
  app('401', { kind: 'status', status: 401 }, misconfigured('provider_auth')),
  app('403', { kind: 'status', status: 403 }, misconfigured('provider_auth')),
  app('429 QUOTA_EXCEEDED', { kind: 'reject', code: 'QUOTA_EXCEEDED' }, limited([60, 66])),
  app(
    '429 with Retry-After: 90',
    { kind: 'status', status: 429, retryAfterSeconds: 90 },
    limited([90, 99]),
  ),
  app('503 UNAVAILABLE', { kind: 'reject', code: 'UNAVAILABLE' }, failing(FCM_WAIT)),
  app(
    '503 with Retry-After: 20',
    { kind: 'status', status: 503, retryAfterSeconds: 20 },
    failing([20, 22]),
  ),
  app('500 INTERNAL', { kind: 'reject', code: 'INTERNAL' }, failing(FCM_WAIT)),
  {
    channel: 'APP_PUSH',
    signal: 'connection refused',
    provocation: { isUnreachable: true },
    effect: failing(WAIT),
  },
  app('connection reset', { kind: 'reset' }, failing(WAIT)),
  app('answer lost', { kind: 'drop_reply' }, failing(WAIT)),
  app('no response in time', { kind: 'delay', delayMs: 8_000 }, failing(WAIT, 'provider_timeout')),
];
