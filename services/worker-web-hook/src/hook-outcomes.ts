import type { SendResult } from '@tidings/channel-worker';
import {
  EgressBlockedError,
  HttpFailure,
  parseRetryAfterMs,
  type HttpAnswer,
} from '@tidings/egress';

const GONE = 410;
const PAYLOAD_TOO_LARGE = 413;
const TOO_MANY = 429;
/** Not rejections of this hook: the receiver timed out or is starting. */
const WORTH_ANOTHER_TRY = new Set([408, 425]);
/** Permanent rejections of this hook; includes redirects, which are not followed. */
const REFUSED = new Set([400, 401, 403, 404, 405, 422]);
const MESSAGE_CHARS_MAX = 200;
/** Maximum attempts for a code that is neither permanent nor temporary. */
const UNMAPPED_ATTEMPTS_MAX = 2;

/**
 * Classifies a response: 2xx accepts, 4xx rejects permanently except those that ask to retry later.
 */
export function classifyAnswer({ status, headers, body }: HttpAnswer, nowMs: number): SendResult {
  const providerCode = String(status);
  if (status >= 200 && status < 300) return { status: 'sent', providerCode };
  const said = {
    providerCode,
    providerMessage: `HTTP ${status} ${body.slice(0, MESSAGE_CHARS_MAX)}`.trim(),
  };
  const retryAfterMs = parseRetryAfterMs(headers['retry-after'], nowMs);
  const patience = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (status === TOO_MANY) return { status: 'rate_limited', ...patience, ...said };
  if ((status >= 500 && status < 600) || WORTH_ANOTHER_TRY.has(status))
    return { status: 'transient', reason: 'provider_unavailable', ...patience, ...said };
  if (status === GONE) return { status: 'permanent', reason: 'subscription_gone', ...said };
  if (status === PAYLOAD_TOO_LARGE)
    return { status: 'permanent', reason: 'payload_too_large', ...said };
  if (REFUSED.has(status) || (status >= 300 && status < 400))
    return { status: 'permanent', reason: 'provider_rejected', ...said };
  return {
    status: 'transient',
    reason: 'provider_rejected',
    attemptsMax: UNMAPPED_ATTEMPTS_MAX,
    isOfRecipient: true,
    isUnmapped: true,
    ...said,
  };
}

/** No response: retry, even if the hook may have arrived; the receiver recognizes its id. */
export function classifyFailure(
  error: unknown,
  { isUrlOfMessage }: { readonly isUrlOfMessage: boolean },
): SendResult {
  if (error instanceof EgressBlockedError) {
    const words = { providerCode: 'egress_refused', providerMessage: error.message };
    // A URL in the settings can be corrected; one in a campaign cannot.
    return {
      status: isUrlOfMessage ? 'permanent' : 'configuration',
      reason: 'provider_rejected',
      ...words,
    };
  }
  if (!(error instanceof HttpFailure)) throw error;
  if (error.isStartDeclined) return { status: 'not_sent' };
  const reason = error.code === 'ETIMEDOUT' ? 'provider_timeout' : 'provider_unavailable';
  return { status: 'transient', reason, providerCode: error.code, providerMessage: error.message };
}
