import type { SendResult } from '@tidings/channel-worker';
import { EgressBlockedError } from '@tidings/egress';
import { classifyBounce } from '@tidings/providers/email/classify-bounce';
import { SmtpSettingsError } from './settings.ts';

/** Fields of nodemailer's error. */
export type SmtpFailure = {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
  readonly response?: string;
};

const SENDER_FAULT = new Set(['5.7.8', '5.7.0', '5.7.26', '5.7.27', '5.7.25']);
const SENDER_FAULT_REPLIES = new Set([530, 534, 535]);
const CONNECTION_PHASES = /^(CONN|EHLO|HELO|LHLO|STARTTLS|AUTH)/;
/** Codes about one mailbox, from any server. */
const OF_MAILBOX = /^[45]\.[12]\./;
/** Error codes of nodemailer and Node for a failed or lost connection. */
const LOST_CONNECTION = new Set([
  'ECONNECTION',
  'ESOCKET',
  'ETIMEDOUT',
  'EDNS',
  'ETLS',
  'ESTREAM',
  'EPROTOCOL',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
const GREYLISTED_RETRY_MS = 5 * 60_000;

/**
 * Classifies SMTP failures: by the enhanced code, then the reply code, then the phase.
 * `isHandedOver`: the whole message was written; without a reply the outcome is then unknown.
 */
export function classifySmtpFailure(error: unknown, isHandedOver: boolean): SendResult {
  if (error instanceof EgressBlockedError) {
    return {
      status: 'configuration',
      reason: 'provider_rejected',
      providerCode: 'egress_refused',
      providerMessage: error.message,
    };
  }
  const failure = (error ?? {}) as SmtpFailure;
  const { responseCode } = failure;
  return responseCode === undefined
    ? classifyNoReply(error, isHandedOver)
    : classifyReply(failure, responseCode, isHandedOver);
}

function classifyNoReply(error: unknown, isHandedOver: boolean): SendResult {
  const { code } = (error ?? {}) as SmtpFailure;
  const answer = {
    providerCode: code ?? 'no_reply',
    providerMessage: error instanceof Error ? error.message : 'no reply',
  };
  const isUnmapped =
    code !== undefined && !LOST_CONNECTION.has(code) && code !== 'EAUTH' && code !== 'EENVELOPE';
  const unmapped = isUnmapped ? ({ isUnmapped } as const) : {};
  if (isHandedOver) return { status: 'unknown', ...unmapped, ...answer };
  if (code === 'EAUTH') return { status: 'configuration', reason: 'provider_auth', ...answer };
  // nodemailer rejected an address that it cannot write on the envelope.
  if (code === 'EENVELOPE')
    return { status: 'invalid_address', reason: 'invalid_address', ...answer };
  return {
    status: 'transient',
    reason: code === 'ETIMEDOUT' ? 'provider_timeout' : 'provider_unavailable',
    ...unmapped,
    ...answer,
  };
}

function classifyReply(
  { code, command = '', response = '' }: SmtpFailure,
  responseCode: number,
  isHandedOver: boolean,
): SendResult {
  const isOfSender = command.startsWith('MAIL');
  const { bounce, status: enhanced, reason } = classifyBounce({ text: response, isOfSender });
  const reply = {
    providerCode: enhanced === '' ? String(responseCode) : `${responseCode} ${enhanced}`,
    providerMessage: response,
  };
  if (responseCode < 400 || responseCode > 599) {
    // A failure with a success code: the meaning is unclear.
    if (isHandedOver) return { status: 'unknown', isUnmapped: true, ...reply };
    return { status: 'transient', reason: 'provider_unavailable', isUnmapped: true, ...reply };
  }
  if (
    SENDER_FAULT.has(enhanced) ||
    SENDER_FAULT_REPLIES.has(responseCode) ||
    (code === 'EAUTH' && responseCode >= 500)
  ) {
    return { status: 'configuration', reason: 'provider_auth', ...reply };
  }
  // A refusal of the connection is about no mail.
  const isOfConnection = CONNECTION_PHASES.test(command);
  const answer = isOfConnection ? reply : { ...reply, bounce };
  const isFull = bounce.class === 'mailbox_full' && !isOfSender;
  if (responseCode === 421 || enhanced.startsWith('4.7.'))
    return { status: 'rate_limited', ...answer };
  if (responseCode < 500 || isFull) {
    const isGreylisted = responseCode === 450 || responseCode === 451;
    const isOfRecipient =
      OF_MAILBOX.test(enhanced) ||
      isFull ||
      (isGreylisted && command.startsWith('RCPT') && !enhanced.startsWith('4.3.'));
    return {
      status: 'transient',
      reason: 'provider_unavailable',
      ...(isGreylisted && { retryAfterMs: GREYLISTED_RETRY_MS }),
      ...(isOfRecipient && { isOfRecipient }),
      ...answer,
    };
  }
  if (isOfConnection) return { status: 'transient', reason: 'provider_unavailable', ...answer };
  if (bounce.class === 'no_mailbox')
    return {
      status: 'invalid_address',
      reason: 'invalid_address',
      suppression: 'suppressed_bounce',
      ...answer,
    };
  return {
    status: 'permanent',
    reason: responseCode === 552 ? 'payload_too_large' : reason,
    ...answer,
  };
}

/**
 * Classifies why a mail could not be composed; the server was not asked. Wrong settings hold for
 * all mails and can be corrected. Anything else is a bug that the same message meets again: it is
 * counted, and says nothing about the account.
 */
export function classifyComposeFailure(error: unknown): SendResult {
  if (error instanceof SmtpSettingsError)
    return {
      status: 'configuration',
      reason: 'provider_auth',
      ...(error.code === 'no_public_url' && { isOfRecipient: true }),
      providerCode: error.code,
      providerMessage: error.message,
    };
  const { code } = (error ?? {}) as SmtpFailure;
  // nodemailer rejected an address that it cannot write on the envelope.
  if (code === 'EENVELOPE')
    return {
      status: 'invalid_address',
      reason: 'invalid_address',
      providerCode: code,
      providerMessage: 'The address cannot be written on an envelope.',
    };
  return {
    status: 'permanent',
    reason: 'internal',
    isOfRecipient: true,
    isUnmapped: true,
    providerCode: 'not_composed',
    // The name alone: the text of an error may quote the message.
    providerMessage: `The mail could not be composed (${error instanceof Error ? error.name : typeof error}).`,
  };
}
