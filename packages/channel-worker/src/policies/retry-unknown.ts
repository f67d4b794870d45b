import {
  RETRY_UNKNOWN_AFTER_MS,
  RETRY_IF_UNKNOWN,
  shouldRetryUnknown,
  type Channel,
  type RetryPolicy,
} from '@tidings/contracts';
import type { StateChange } from '@tidings/delivery/change-states';
import type { ClaimedDelivery } from '@tidings/delivery/claims';
import { backoffMs } from '@tidings/platform';

type RetrySetting = { readonly channel: Channel; readonly setting: boolean | undefined };
type RetryContext = RetrySetting & { readonly policy: RetryPolicy };

/** Whether doubt about this send is to lead to another, and that does no harm: then it is not `unknown` that a kill leaves behind. */
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
 * Makes another try of an unknown outcome where that is wanted. Where a repeat does no harm it is tried as often as a
 * refusal would be; where it is a second message for a person, once, and not before what can still be heard of the first.
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
