import { failing, limited, rejected, type Effect, type ProviderError } from '../provider-error.ts';

const answered = (
  status: number,
  effect: Effect,
  more: { readonly retryAfterSeconds?: number } = {},
): ProviderError => ({
  channel: 'WEB_HOOK',
  signal:
    more.retryAfterSeconds === undefined
      ? String(status)
      : `${status} with Retry-After: ${more.retryAfterSeconds}`,
  provocation: { fault: { kind: 'status', status, ...more } },
  effect,
});

const WAIT = [0, 5] as const;

/** Webhook receivers, which may return any status. */
export const WEB_HOOK_ERRORS: readonly ProviderError[] = [
  ...[302, 400, 401, 403, 404, 405, 422].map((status) => answered(status, rejected())),
  answered(410, rejected('subscription_gone')),
  answered(413, rejected('payload_too_large')),
  ...[408, 425, 500, 502, 503].map((status) => answered(status, failing(WAIT))),
  answered(503, failing([20, 22]), { retryAfterSeconds: 20 }),
  answered(429, limited()),
  answered(429, limited([7, 7.7]), { retryAfterSeconds: 7 }),
  {
    channel: 'WEB_HOOK',
    signal: 'connection refused',
    provocation: { isUnreachable: true },
    effect: failing(WAIT),
  },
  {
    channel: 'WEB_HOOK',
    signal: 'connection reset',
    provocation: { fault: { kind: 'reset' } },
    effect: failing(WAIT),
  },
  {
    channel: 'WEB_HOOK',
    signal: 'answer lost',
    provocation: { fault: { kind: 'drop_reply' } },
    effect: failing(WAIT),
  },
  {
    channel: 'WEB_HOOK',
    signal: 'no response in time',
    provocation: { fault: { kind: 'delay', delayMs: 8_000 } },
    effect: failing(WAIT, 'provider_timeout'),
  },
];
