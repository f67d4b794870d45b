import type { WebhookAttemptError, WebhookEvent } from '@tidings/contracts/webhooks';
import { EgressBlockedError, signWebhook, type EgressHttp } from '@tidings/egress';
import type { ClaimedWebhook } from '@tidings/webhook-queue/queue';
import type { AttemptResult } from './outcome.ts';
import { redactedExcerpt } from './excerpt.ts';

const USER_AGENT = 'Tidings-Webhooks/1';
const ANSWER_BYTES_MAX = 64 * 1024;

/** Sends one signed request. Never throws; errors are part of the result. */
export async function attemptWebhook(
  http: EgressHttp,
  webhook: Pick<
    ClaimedWebhook,
    'url' | 'eventId' | 'type' | 'occurredAt' | 'applicationId' | 'data'
  > & { readonly secrets: readonly string[] },
  { sentAtMs, timeoutMs }: { readonly sentAtMs: number; readonly timeoutMs: number },
): Promise<AttemptResult> {
  const body = encodeBody(webhook);
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    ...signWebhook(webhook.secrets, {
      id: webhook.eventId,
      timestampSeconds: Math.floor(sentAtMs / 1000),
      body,
    }),
  };
  try {
    const answer = await http.request({
      method: 'POST',
      url: webhook.url,
      headers,
      body,
      timeoutMs,
      answerBytesMax: ANSWER_BYTES_MAX,
      mayRepeat: true,
    });
    return {
      statusCode: answer.status,
      retryAfter: answer.headers['retry-after'],
      answer: redactedExcerpt(answer.body),
    };
  } catch (error) {
    return { error: classifyError(error) };
  }
}

/** The same text for every attempt, so that a retry has the same content. */
function encodeBody({
  eventId,
  type,
  occurredAt,
  applicationId,
  data,
}: Pick<ClaimedWebhook, 'eventId' | 'type' | 'occurredAt' | 'applicationId' | 'data'>): string {
  const event: WebhookEvent = {
    id: eventId,
    type,
    timestamp: occurredAt.toISOString(),
    applicationId,
    data,
  };
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

const HEADERS_TOO_LARGE = 'UND_ERR_HEADERS_OVERFLOW';

/** TLS has dozens of error codes, some without a common prefix. */
const TLS_CODE =
  /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_OSSL|HOSTNAME_MISMATCH|EPROTO)/;

function classifyError(error: unknown): WebhookAttemptError {
  if (error instanceof EgressBlockedError) return 'address_refused';
  const { code } = error as { readonly code?: unknown };
  if (typeof code !== 'string') return 'connection_lost';
  if (code.startsWith('HPE_') || code === HEADERS_TOO_LARGE) return 'invalid_answer';
  return TLS_CODE.test(code) ? 'tls_failed' : (ERRORS_BY_CODE[code] ?? 'connection_lost');
}
