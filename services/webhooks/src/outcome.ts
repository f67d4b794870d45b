import type { WebhookAttemptError, WebhookKind } from '@tidings/contracts/webhooks';
import { parseRetryAfterMs } from '@tidings/egress';
import type { WebhookOutcome } from '@tidings/webhook-queue/queue';

/** The result of an attempt: a response with its status, or an error. */
export type AttemptResult =
  | {
      readonly statusCode: number;
      readonly retryAfter: string | undefined;
      readonly answer: string;
    }
  | { readonly error: WebhookAttemptError };

export type RetryRules = {
  readonly retryDelaysMs: readonly number[];
  readonly nowMs: number;
  readonly random: () => number;
};

const GONE = 410;
const JITTER = 0.2;
/** The maximum Retry-After that is honoured: 10 hours. */
const RETRY_AFTER_MAX_MS = 36_000_000;

/** Decides the outcome of a webhook after its `attempts`-th attempt. */
export function decideOutcome(
  result: AttemptResult,
  { type, attempts }: { readonly type: WebhookKind; readonly attempts: number },
  rules: RetryRules,
): Pick<WebhookOutcome, 'outcome' | 'reason' | 'delayMs'> {
  const hasAnswer = 'statusCode' in result;
  if (hasAnswer && result.statusCode >= 200 && result.statusCode < 300)
    return { outcome: 'succeeded' };
  if (hasAnswer && result.statusCode === GONE) return { outcome: 'failed', reason: 'gone' };
  // A user waits for the result of a test event, so it is not retried.
  const delayMs = type === 'webhook.ping' ? undefined : rules.retryDelaysMs[attempts - 1];
  if (delayMs === undefined) return { outcome: 'failed', reason: 'attempts_exhausted' };
  const asked = hasAnswer
    ? Math.min(parseRetryAfterMs(result.retryAfter, rules.nowMs) ?? 0, RETRY_AFTER_MAX_MS)
    : 0;
  return {
    outcome: 'retry',
    delayMs: Math.round(Math.max(delayMs * (1 + JITTER * rules.random()), asked)),
  };
}
