import { type Channel } from '@tidings/contracts';
import type { ClaimedDelivery, StateChange } from '@tidings/db';
import { assertNever, backoffMs } from '@tidings/platform';
import type { SendResult } from './channel.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** A delivery is tried until both bounds are passed, or its campaign expires. */
export type RetryPolicy = { readonly baseMs: number; readonly capMs: number; readonly attemptsMin: number; readonly ageMinMs: number };

export const RETRY_POLICIES = {
  SMS: { baseMs: 30 * SECOND_MS, capMs: 30 * MINUTE_MS, attemptsMin: 5, ageMinMs: 4 * HOUR_MS },
  EMAIL: { baseMs: MINUTE_MS, capMs: 2 * HOUR_MS, attemptsMin: 6, ageMinMs: 24 * HOUR_MS },
  WEB_PUSH: { baseMs: 10 * SECOND_MS, capMs: 30 * MINUTE_MS, attemptsMin: 6, ageMinMs: 24 * HOUR_MS },
  APP_PUSH: { baseMs: 10 * SECOND_MS, capMs: 30 * MINUTE_MS, attemptsMin: 6, ageMinMs: 24 * HOUR_MS },
  WEB_HOOK: { baseMs: 5 * SECOND_MS, capMs: 10 * HOUR_MS, attemptsMin: 8, ageMinMs: 24 * HOUR_MS },
  IN_APP: { baseMs: 10 * SECOND_MS, capMs: 30 * MINUTE_MS, attemptsMin: 6, ageMinMs: 24 * HOUR_MS },
  ON_SITE: { baseMs: 10 * SECOND_MS, capMs: 30 * MINUTE_MS, attemptsMin: 6, ageMinMs: 24 * HOUR_MS },
} as const satisfies Record<Channel, RetryPolicy>;

/** Deliveries that wrong settings keep waiting are tried again after this time. */
export const CONFIGURATION_RETRY_MS = MINUTE_MS;
const RATE_LIMIT_RETRY_MS = 30 * SECOND_MS;
const RETRY_AFTER_MAX_MS = HOUR_MS;

/** The state a delivery takes after a send, by what became of it. */
export function stateAfterSend(delivery: ClaimedDelivery, result: SendResult, policy: RetryPolicy): StateChange {
  const { deliveryId, fence } = delivery;
  const base = { deliveryId, fence, ...providerAnswer(result) };
  // Somebody waits for the answer of a test send: it is told as it is, and not tried again.
  const isTest = delivery.testAddress !== null;
  switch (result.status) {
    case 'sent':
      return { ...base, state: 'sent' };
    case 'permanent':
    case 'invalid_address':
      return { ...base, state: 'failed', reason: result.reason };
    case 'transient': {
      const attempts = delivery.attempts + 1;
      if (isTest || (attempts >= policy.attemptsMin && delivery.ageMs >= policy.ageMinMs)) {
        return { ...base, state: 'failed', reason: result.reason };
      }
      const delayMs = Math.max(backoffMs(policy, delivery.attempts), Math.min(result.retryAfterMs ?? 0, RETRY_AFTER_MAX_MS));
      return { ...base, state: 'retry_wait', reason: result.reason, delayMs };
    }
    case 'rate_limited':
      if (isTest) return { ...base, state: 'failed', reason: 'rate_limited' };
      return {
        ...base,
        state: 'retry_wait',
        reason: 'rate_limited',
        delayMs: Math.min(result.retryAfterMs ?? RATE_LIMIT_RETRY_MS, RETRY_AFTER_MAX_MS),
        isAttemptReturned: true,
      };
    case 'configuration':
      if (isTest) return { ...base, state: 'failed', reason: result.reason };
      return { ...base, state: 'retry_wait', reason: result.reason, delayMs: CONFIGURATION_RETRY_MS, isAttemptReturned: true };
    case 'unknown':
      return { ...base, state: 'unknown', reason: 'outcome_unknown' };
    case 'not_sent':
      return { ...base, state: 'pending', isAttemptReturned: true };
    default:
      return assertNever(result);
  }
}

const ANSWER_CHARS_MAX = 500;

function providerAnswer({ providerId, providerCode, providerMessage }: SendResult): Partial<StateChange> {
  return {
    ...(providerId !== undefined && { providerId: storable(providerId) }),
    ...(providerCode !== undefined && { providerCode: storable(providerCode) }),
    ...(providerMessage !== undefined && { providerMessage: storable(providerMessage) }),
  };
}

/** A provider's text is shown, never trusted: bounded, and without what Postgres cannot store. */
function storable(text: string): string {
  return text.slice(0, ANSWER_CHARS_MAX).replaceAll('\0', '').toWellFormed();
}
