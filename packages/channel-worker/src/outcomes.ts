import type { RetryPolicy } from '@tidings/contracts/channels/descriptor';
import { mapChannels } from '@tidings/contracts/channels/descriptors';
import { type StateChange, targetOf } from '@tidings/delivery/change-states';
import type { ClaimedDelivery } from '@tidings/delivery/claims';
import { assertNever, backoffMs } from '@tidings/platform';
import type { SendResult } from './channel.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

export const RETRY_POLICIES = mapChannels(({ retries }) => retries);

/** Retry delay of deliveries that wait for corrected settings. */
export const CONFIGURATION_RETRY_MS = MINUTE_MS;
/** Retry delay of deliveries about which a condition asks too long. */
export const CONDITION_RETRY_MS = MINUTE_MS;
const RATE_LIMIT_RETRY_MS = 30 * SECOND_MS;
/** Maximum `Retry-After` that is respected. */
const RETRY_AFTER_MAX_MS = HOUR_MS;
/** Random spread of `Retry-After`, so that deliveries do not all return at once. */
const RETRY_AFTER_SPREAD = 0.1;

type Circumstances = {
  /** At most one attempt: the message has a ttl of 0. */
  readonly isNowOrNever?: boolean;
  /** Another account may send what this one did not accept. */
  readonly hasNextAccount?: boolean;
  /** From 0 to 1, as `Math.random`. */
  readonly random?: () => number;
};

/** The next state of a delivery after a send result. */
export function stateAfterSend(
  delivery: ClaimedDelivery,
  result: SendResult,
  {
    isNowOrNever = false,
    hasNextAccount = false,
    random = Math.random,
    ...policy
  }: RetryPolicy & Circumstances,
): StateChange {
  const base = {
    ...targetOf(delivery),
    fence: delivery.fence,
    outcome: result.status,
    ...providerAnswer(result),
  };
  // A person waits for the result of a test send: report it and do not retry.
  const isOnlyTry = delivery.testAddress !== null || isNowOrNever;
  const laterMs = (delayMs: number): number => (hasNextAccount ? 0 : delayMs);
  switch (result.status) {
    case 'sent':
      return { ...base, state: 'sent' };
    case 'permanent':
    case 'invalid_address':
      return { ...base, state: 'failed', reason: result.reason };
    case 'transient': {
      const attempts = delivery.attempts + 1;
      const isOver =
        attempts >= (result.attemptsMax ?? Infinity) ||
        (attempts >= policy.attemptsMin && delivery.ageMs >= policy.ageMinMs);
      if (isOnlyTry || (isOver && !hasNextAccount))
        return { ...base, state: 'failed', reason: result.reason };
      const delayMs = Math.max(
        backoffMs(policy, delivery.attempts, random),
        patienceMs(result.retryAfterMs ?? 0, random),
      );
      return { ...base, state: 'retry_wait', reason: result.reason, delayMs: laterMs(delayMs) };
    }
    case 'rate_limited':
      if (isOnlyTry) return { ...base, state: 'failed', reason: 'rate_limited' };
      return {
        ...base,
        state: 'retry_wait',
        reason: 'rate_limited',
        delayMs: laterMs(patienceMs(result.retryAfterMs ?? RATE_LIMIT_RETRY_MS, random)),
        isAttemptReturned: true,
      };
    case 'configuration':
      if (isOnlyTry) return { ...base, state: 'failed', reason: result.reason };
      return {
        ...base,
        state: 'retry_wait',
        reason: result.reason,
        delayMs: laterMs(CONFIGURATION_RETRY_MS),
        isAttemptReturned: true,
      };
    case 'unknown':
      return { ...base, state: 'unknown', reason: 'outcome_unknown' };
    case 'not_sent':
      return { ...base, state: 'pending', isAttemptReturned: true };
    default:
      return assertNever(result);
  }
}

/** The requested delay, capped, plus a random spread; never shorter than requested. */
function patienceMs(askedMs: number, random: () => number): number {
  const waitMs = Math.min(Math.max(0, askedMs), RETRY_AFTER_MAX_MS);
  return Math.floor(waitMs * (1 + RETRY_AFTER_SPREAD * random()));
}

const ANSWER_CHARS_MAX = 500;

function providerAnswer({
  providerId,
  providerCode,
  providerMessage,
  bounce,
}: SendResult): Partial<StateChange> {
  return {
    ...(providerId !== undefined && { providerId: storable(providerId) }),
    ...(providerCode !== undefined && { providerCode: storable(providerCode) }),
    ...(providerMessage !== undefined && { providerMessage: storable(providerMessage) }),
    ...(bounce !== undefined && { bounce }),
  };
}

/** Provider text is untrusted: truncate it and remove what Postgres cannot store. */
function storable(text: string): string {
  return text.slice(0, ANSWER_CHARS_MAX).replaceAll('\0', '').toWellFormed();
}
