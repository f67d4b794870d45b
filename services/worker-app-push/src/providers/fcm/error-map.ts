import type { RejectionCause, SendResult } from '@tidings/channel-worker';
import {
  EgressBlockedError,
  HttpFailure,
  parseRetryAfterMs,
  type HttpAnswer,
} from '@tidings/egress';
import { FirebaseMessagingError } from 'firebase-admin/messaging';
import { TokenRejected } from './access-tokens.ts';

const MESSAGE_CHARS_MAX = 200;
/** Maximum attempts for a code that is neither permanent nor temporary. */
const UNMAPPED_ATTEMPTS_MAX = 2;
/**
 * Google's recommended delays without `Retry-After`
 * (firebase.google.com/docs/cloud-messaging/scale-fcm).
 */
const QUOTA_RETRY_MS = 60_000;
const OUTAGE_RETRY_MS = 10_000;

const GONE = { status: 'invalid_address', reason: 'subscription_gone' } as const;
const REFUSED = { status: 'permanent', reason: 'provider_rejected' } as const;
const TOO_LARGE = { status: 'permanent', reason: 'payload_too_large' } as const;
const AUTH = { status: 'configuration', reason: 'provider_auth' } as const;

type Facts = { readonly nowMs: number; readonly causeOfRejection: () => RejectionCause };

/** Classifies an FCM response by its error code, otherwise by its status. */
export function classifyAnswer(answer: HttpAnswer, { nowMs, causeOfRejection }: Facts): SendResult {
  const { status, headers } = answer;
  const { name, code, message, fields, isOfDevice } = readAnswer(answer);
  if (status === 200) return sent(name);
  const words = {
    providerCode: code === undefined ? String(status) : `${status} ${code}`,
    providerMessage: message.slice(0, MESSAGE_CHARS_MAX),
  };
  const retryAfterMs = parseRetryAfterMs(headers['retry-after'], nowMs);
  if (status === 429)
    return {
      status: 'rate_limited',
      retryAfterMs: retryAfterMs ?? QUOTA_RETRY_MS,
      ...(isOfDevice && { isOfRecipient: true as const }),
      ...words,
    };
  if (status >= 500 && status < 600)
    return {
      status: 'transient',
      reason: 'provider_unavailable',
      retryAfterMs: Math.max(OUTAGE_RETRY_MS, retryAfterMs ?? 0),
      ...words,
    };
  if (status === 404)
    return {
      ...(code === 'UNREGISTERED'
        ? GONE
        : { status: 'configuration', reason: 'provider_rejected' }),
      ...words,
    };
  if (status === 400) return { ...badRequest({ code, message, fields }), ...words };
  if (status === 403 && code === 'SENDER_ID_MISMATCH')
    return { ...otherSender(causeOfRejection()), ...words };
  if (status === 401 || status === 403) return { ...AUTH, ...words };
  // Redirects are not followed: the configured URL is not FCM.
  if (status >= 300 && status < 400)
    return { status: 'configuration', reason: 'provider_rejected', ...words };
  return {
    status: 'transient',
    reason: 'provider_rejected',
    attemptsMax: UNMAPPED_ATTEMPTS_MAX,
    isOfRecipient: true,
    isUnmapped: true,
    ...words,
  };
}

/** A 200 counts only if it names the message; otherwise another server answered. */
function sent(name: string | undefined): SendResult {
  if (name === undefined)
    return {
      status: 'transient',
      reason: 'provider_unavailable',
      providerCode: 'unreadable',
      providerMessage: 'an answer without the name of a message',
    };
  return { status: 'sent', providerId: name, providerCode: '200' };
}

/**
 * INVALID_ARGUMENT concerns the message or the token, as the named fields say. Without fields it
 * concerns the token, except for a message that is too big.
 */
function badRequest({ code, message, fields }: Pick<FcmAnswer, 'code' | 'message' | 'fields'>) {
  if (/too (big|large)/i.test(message)) return TOO_LARGE;
  if (fields.length > 0) return fields.every((field) => field === 'message.token') ? GONE : REFUSED;
  return code === 'INVALID_ARGUMENT' || /registration token/i.test(message) ? GONE : REFUSED;
}

/**
 * SENDER_ID_MISMATCH: the token belongs to another project. If other tokens work, this token is
 * wrong; if most fail, the settings are. Until that is known, nothing is removed.
 */
function otherSender(verdict: RejectionCause) {
  if (verdict === 'address') return GONE;
  return verdict === 'account' ? AUTH : ({ ...AUTH, isOfRecipient: true } as const);
}

/** No response: retry, because a repeated message replaces the first. */
export function classifyFailure(error: unknown, nowMs: number): SendResult {
  // firebase-admin rejected the message before sending.
  if (error instanceof FirebaseMessagingError)
    return { ...REFUSED, providerCode: error.code, providerMessage: error.message };
  if (error instanceof TokenRejected) return withoutToken(error, nowMs);
  // The URLs of FCM and the token endpoint come from the settings.
  if (error instanceof EgressBlockedError)
    return {
      status: 'configuration',
      reason: 'provider_rejected',
      providerCode: 'egress_refused',
      providerMessage: error.message,
    };
  if (!(error instanceof HttpFailure)) throw error;
  if (error.isStartDeclined) return { status: 'not_sent' };
  const reason = error.code === 'ETIMEDOUT' ? 'provider_timeout' : 'provider_unavailable';
  return { status: 'transient', reason, providerCode: error.code, providerMessage: error.message };
}

function withoutToken({ answer, message }: TokenRejected, nowMs: number): SendResult {
  if (answer === undefined)
    return { ...AUTH, providerCode: 'private_key', providerMessage: message };
  const { error } = asObject(parsed(answer.body));
  const words = {
    providerCode: `token ${answer.status}`,
    providerMessage:
      typeof error === 'string' ? `${message} ${error}`.slice(0, MESSAGE_CHARS_MAX) : message,
  };
  const retryAfterMs = parseRetryAfterMs(answer.headers['retry-after'], nowMs);
  const patience = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (answer.status === 429) return { status: 'rate_limited', ...patience, ...words };
  if (answer.status >= 500)
    return { status: 'transient', reason: 'provider_unavailable', ...patience, ...words };
  return { ...AUTH, ...words };
}

type FcmAnswer = {
  readonly name: string | undefined;
  readonly code: string | undefined;
  readonly message: string;
  /** Invalid fields of the request. */
  readonly fields: readonly string[];
  /** A quota of one device, not of the project. */
  readonly isOfDevice: boolean;
};

/**
 * A response of FCM v1 (google.rpc.Status with details of FcmError, BadRequest and QuotaFailure),
 * or of another server.
 */
function readAnswer({ status, body }: HttpAnswer): FcmAnswer {
  const { name, error } = asObject(parsed(body));
  const { message, details } = asObject(error);
  const list = Array.isArray(details) ? details.map(asObject) : [];
  const ofType = (type: string): Fields =>
    list.find((detail) => String(detail['@type']).endsWith(type)) ?? {};
  const { errorCode } = ofType('.FcmError');
  const listViolations = (value: unknown): readonly Fields[] =>
    Array.isArray(value) ? value.map(asObject) : [];
  return {
    name: typeof name === 'string' ? name : undefined,
    code: typeof errorCode === 'string' ? errorCode : undefined,
    message: typeof message === 'string' ? message : `HTTP ${status}`,
    fields: listViolations(ofType('.BadRequest')['fieldViolations']).map(({ field }) =>
      String(field),
    ),
    isOfDevice: listViolations(ofType('.QuotaFailure')['violations']).some(
      ({ subject, description }) => /device/i.test(`${String(subject)} ${String(description)}`),
    ),
  };
}

type Fields = Readonly<Record<string, unknown>>;
const asObject = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // Not FCM: a page of a proxy in front of it.
  }
}
