import type { WebhookAttemptError, WebhookEvent } from '@tidings/contracts';
import type { ClaimedWebhook } from '@tidings/db';
import { EgressRefusedError, signatureHeaders, type HttpSender } from '@tidings/egress';
import type { AttemptResult } from './outcome.ts';
import { excerptOf } from './excerpt.ts';

export const USER_AGENT = 'Tidings-Webhooks/1';

/** One signed request; whatever comes of it is returned, nothing is thrown. */
export async function attemptWebhook(
  sender: HttpSender,
  webhook: Pick<ClaimedWebhook, 'url' | 'eventId' | 'type' | 'occurredAt' | 'applicationId' | 'data'> & { readonly secrets: readonly string[] },
  { sentAtMs, timeoutMs }: { readonly sentAtMs: number; readonly timeoutMs: number },
): Promise<AttemptResult> {
  const body = bodyOf(webhook);
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    ...signatureHeaders({ id: webhook.eventId, sentAtMs, body, secrets: webhook.secrets }),
  };
  try {
    const answer = await sender.post(new URL(webhook.url), { headers, body, timeoutMs });
    return { statusCode: answer.status, retryAfter: answer.headers['retry-after'], answer: excerptOf(answer.body) };
  } catch (error) {
    return { error: errorOf(error) };
  }
}

/** The same text however often it is sent. */
function bodyOf({ eventId, type, occurredAt, applicationId, data }: Pick<ClaimedWebhook, 'eventId' | 'type' | 'occurredAt' | 'applicationId' | 'data'>): string {
  const event: WebhookEvent = { id: eventId, type, timestamp: occurredAt.toISOString(), applicationId, data };
  return JSON.stringify(event);
}

const ERRORS_BY_CODE: Readonly<Record<string, WebhookAttemptError>> = {
  ENOTFOUND: 'name_not_found',
  EAI_AGAIN: 'name_not_found',
  ECONNREFUSED: 'connection_refused',
  EHOSTUNREACH: 'connection_refused',
  ENETUNREACH: 'connection_refused',
  ETIMEDOUT: 'timeout',
};

/** Of TLS there are dozens, some without a code of its own kind. */
const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_OSSL|HOSTNAME_MISMATCH|EPROTO)/;

function errorOf(error: unknown): WebhookAttemptError {
  if (error instanceof EgressRefusedError) return 'address_refused';
  const { code } = error as { readonly code?: unknown };
  if (typeof code !== 'string') return 'connection_lost';
  if (code.startsWith('HPE_')) return 'invalid_answer';
  return TLS_CODE.test(code) ? 'tls_failed' : (ERRORS_BY_CODE[code] ?? 'connection_lost');
}
