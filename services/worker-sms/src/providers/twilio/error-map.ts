import type { SendResult } from '@tidings/channel-worker';
import type { HttpAnswer } from '@tidings/egress';
import {
  AUTH,
  INVALID,
  LIMITED,
  NUMBER_BARRED,
  PERMANENT,
  resultOf,
  resultWithoutAnswer,
  SENDER,
  STOPPED,
  TOO_LONG,
  UNAVAILABLE,
  UNMAPPED,
  type Refusal,
} from '../refusals.ts';

/** Delay after "queue full" for a sender. */
const QUEUE_FULL_RETRY_MS = 5 * 60_000;

/** Twilio's error codes (twilio.com/docs/api/errors) that say more than the HTTP status. */
const BY_CODE: ReadonlyMap<number, Refusal> = new Map<number, Refusal>([
  [21211, INVALID], // not a phone number
  [21214, INVALID], // cannot be reached
  [21217, INVALID], // does not appear to be valid
  [21614, INVALID], // not a mobile number
  [21610, STOPPED],
  [21612, PERMANENT], // no route from this sender to this number
  [21617, TOO_LONG],
  [21602, PERMANENT], // no body
  [21619, PERMANENT], // no text
  [21408, NUMBER_BARRED], // the region is not enabled
  [21606, SENDER], // the sender is not one of the account
  [21659, SENDER], // the sender is not a number of Twilio
  [21212, SENDER], // the sender is no phone number
  [21603, SENDER], // no sender
  [21608, NUMBER_BARRED], // a trial account, a number that is not verified
  [21701, SENDER], // the messaging service does not exist
  [21703, SENDER], // the messaging service has no number
  [30034, SENDER], // the sender is not registered
  [30032, SENDER], // the sender is not verified
  [20003, AUTH],
  [20404, AUTH], // no such account
  [30002, AUTH], // the account is suspended
  [21611, { status: 'rate_limited', retryAfterMs: QUEUE_FULL_RETRY_MS }],
  [20429, LIMITED],
]);

/**
 * Classifies a failed send: by HTTP status first, by code where it says more. Without a clear
 * response the message may have been accepted: unknown.
 */
export function classifyTwilioFailure(
  error: unknown,
  answer: HttpAnswer | undefined,
  nowMs = Date.now(),
): SendResult {
  if (answer === undefined) return resultWithoutAnswer(error);
  const code = readCode(error);
  const words = {
    providerCode: String(code ?? answer.status),
    providerMessage:
      error instanceof Error && error.message ? error.message : `HTTP ${answer.status}`,
  };
  return resultOf(findRefusal(answer.status, code), words, { answer, nowMs });
}

/** Null if the outcome is unknown: an unreadable 2xx, or 5xx other than 503. */
function findRefusal(status: number, code: number | undefined): Refusal | null {
  if (status >= 200 && status < 300) return null;
  const known = code === undefined ? undefined : BY_CODE.get(code);
  if (status === 429) return known?.status === 'rate_limited' ? known : LIMITED;
  if (status === 503) return UNAVAILABLE;
  if (status >= 500) return null;
  if (known !== undefined) return known;
  if (status === 401 || status === 403) return AUTH;
  // Not Twilio's API: the configured URL is wrong.
  if (status < 400 || status === 404 || status === 405) return SENDER;
  return UNMAPPED;
}

function readCode(error: unknown): number | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'number' ? code : undefined;
}
