import { RETRY_IF_UNKNOWN, type Channel } from '@tidings/contracts/channels/channels';
import type { RetryPolicy } from '@tidings/contracts/channels/descriptor';
import { RETRY_UNKNOWN_AFTER_MS, shouldRetryUnknown } from '@tidings/contracts/push/retry-unknown';
import type { StateChange } from '@tidings/delivery/change-states';
import type { ClaimedDelivery } from '@tidings/delivery/claims';
import { backoffMs } from '@tidings/platform';

type RetrySetting = { readonly channel: Channel; readonly setting: boolean | undefined };
type RetryContext = RetrySetting & { readonly policy: RetryPolicy };

/**
 * Whether an unknown outcome is retried and a repeat is idempotent. Then a killed worker leaves no
 * `unknown` delivery.
 */
export function isRetryHarmless(
  { ambiguousAttempts, testAddress }: Pick<ClaimedDelivery, 'ambiguousAttempts' | 'testAddress'>,
  { channel, setting }: RetrySetting,
): boolean {
  return (
    RETRY_IF_UNKNOWN[channel] &&
    testAddress === null &&
    shouldRetryUnknown(channel, { setting, ambiguousAttempts })
  );
}

/**
 * Turns an unknown outcome into a retry where that is allowed. Idempotent channels retry as after a
 * rejection. Other channels retry once, after the delay in which callbacks and polls may still
 * report the first attempt.
 */
export function retryUnknown(
  delivery: ClaimedDelivery,
  change: StateChange,
  { channel, setting, policy }: RetryContext,
): StateChange {
  const { ambiguousAttempts, attempts, ageMs, testAddress } = delivery;
  if (
    change.state !== 'unknown' ||
    testAddress !== null ||
    !shouldRetryUnknown(channel, { setting, ambiguousAttempts })
  )
    return change;
  const isHarmless = RETRY_IF_UNKNOWN[channel];
  if (isHarmless && attempts + 1 >= policy.attemptsMin && ageMs >= policy.ageMinMs) return change;
  return {
    ...change,
    state: 'retry_wait',
    delayMs: isHarmless ? backoffMs(policy, attempts) : RETRY_UNKNOWN_AFTER_MS[channel],
  };
}
