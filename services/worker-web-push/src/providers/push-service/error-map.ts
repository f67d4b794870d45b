import type { RejectionCause, SendResult } from '@tidings/channel-worker';
import {
  EgressBlockedError,
  HttpFailure,
  parseRetryAfterMs,
  type HttpAnswer,
} from '@tidings/egress';

const MESSAGE_CHARS_MAX = 200;
/** Maximum attempts for a code that is neither permanent nor temporary. */
const UNMAPPED_ATTEMPTS_MAX = 2;
/** Mozilla's error numbers for missing or invalid subscription keys. */
const BAD_KEYS = new Set([101, 110]);
/** How Google, Apple and Mozilla report a subscription made with another VAPID key. */
const OTHER_KEY = /VapidPkHashMismatch|do not correspond to the credentials|public key mismatch/i;

const GONE = { status: 'invalid_address', reason: 'subscription_gone' } as const;
const REFUSED = { status: 'permanent', reason: 'provider_rejected' } as const;
const AUTH = { status: 'configuration', reason: 'provider_auth' } as const;

/** The response, and the cause of a rejection (address or account), evaluated only if needed. */
type Facts = { readonly nowMs: number; readonly causeOfRejection: () => RejectionCause };

/** Classifies a push service's response (RFC 8030, 5, and the services' documentation). */
export function classifyAnswer(
  { status, headers, body }: HttpAnswer,
  { nowMs, causeOfRejection }: Facts,
): SendResult {
  const { errno, text } = readBody(body);
  const words = {
    providerCode: errno === undefined ? String(status) : `${status} ${errno}`,
    providerMessage: `HTTP ${status} ${text}`.trim().slice(0, MESSAGE_CHARS_MAX),
  };
  if (status >= 200 && status < 300) return { status: 'sent', providerCode: String(status) };
  const retryAfterMs = parseRetryAfterMs(headers['retry-after'], nowMs);
  const patience = retryAfterMs === undefined ? {} : { retryAfterMs };
  // Windows returns 406 instead of 429.
  if (status === 429 || status === 406) return { status: 'rate_limited', ...patience, ...words };
  if (status >= 500 && status < 600)
    return { status: 'transient', reason: 'provider_unavailable', ...patience, ...words };
  if (status === 404 || status === 410) return { ...GONE, ...words };
  if (status === 413) return { status: 'permanent', reason: 'payload_too_large', ...words };
  if (status >= 300 && status < 400) return { ...REFUSED, ...words };
  if (status >= 400 && status <= 403 && OTHER_KEY.test(body)) return { ...GONE, ...words };
  if (status === 401) return { ...AUTH, ...words };
  if (status === 403) return { ...forbidden(causeOfRejection()), ...words };
  if (status === 400 && /^BadJwtToken$/i.test(text)) return { ...AUTH, ...words };
  if (status === 400)
    return { ...(errno !== undefined && BAD_KEYS.has(errno) ? GONE : REFUSED), ...words };
  return {
    status: 'transient',
    reason: 'provider_rejected',
    attemptsMax: UNMAPPED_ATTEMPTS_MAX,
    isOfRecipient: true,
    isUnmapped: true,
    ...words,
  };
}

/**
 * 403 without a reason: the subscription, if only that one is rejected; the key, if most are. Until
 * that is known, nothing is removed.
 */
function forbidden(verdict: RejectionCause) {
  if (verdict === 'address') return GONE;
  return verdict === 'account' ? AUTH : ({ ...AUTH, isOfRecipient: true } as const);
}

/** No response: retry, because the topic lets the second push replace the first. */
export function classifyFailure(error: unknown): SendResult {
  // The URL comes from the browser, not from the settings.
  if (error instanceof EgressBlockedError)
    return {
      status: 'invalid_address',
      reason: 'invalid_address',
      providerCode: 'egress_refused',
      providerMessage: error.message,
    };
  if (!(error instanceof HttpFailure)) throw error;
  if (error.isStartDeclined) return { status: 'not_sent' };
  const reason = error.code === 'ETIMEDOUT' ? 'provider_timeout' : 'provider_unavailable';
  return { status: 'transient', reason, providerCode: error.code, providerMessage: error.message };
}

/** Mozilla returns `{errno, message}`, Apple `{reason}`, others plain text. */
function readBody(body: string): { readonly errno: number | undefined; readonly text: string } {
  try {
    const { errno, message, reason } = JSON.parse(body) as {
      readonly errno?: unknown;
      readonly message?: unknown;
      readonly reason?: unknown;
    };
    const text = [message, reason].find((value) => typeof value === 'string');
    return {
      errno: typeof errno === 'number' ? errno : undefined,
      text: typeof text === 'string' ? text : body,
    };
  } catch {
    return { errno: undefined, text: body };
  }
}
