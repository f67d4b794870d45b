import type { Channel } from '@tidings/contracts/channels/channels';
import { toHealthSignal } from '../accounts/health-signal.ts';
import type { SendResult } from '../channel.ts';
import { RETRY_POLICIES, stateAfterSend } from '../outcomes.ts';

/** More attempts than any channel makes. */
const LAST = { attempts: 20, ageMs: 48 * 3_600_000 };

/**
 * The effects of a result: on the first attempt, on the second, after the retry time, and on the
 * account.
 */
export function effectsOf(channel: Channel, result: SendResult) {
  const at = (attempts: number, ageMs: number) =>
    stateAfterSend(
      {
        deliveryId: 'd',
        fence: 1,
        customUserId: 'ada',
        serviceUserId: null,
        attempts,
        ageMs,
        testAddress: null,
        ambiguousAttempts: 0,
        timeZone: null,
        profile: {},
        suppression: null,
        settingsVersion: 1,
      },
      result,
      { ...RETRY_POLICIES[channel], random: () => 0 },
    );
  const { state, reason, delayMs, providerCode } = at(0, 0);
  return {
    status: result.status,
    state,
    reason,
    delayMs,
    providerCode,
    second: at(1, 0).state,
    last: at(LAST.attempts, LAST.ageMs).state,
    account: toHealthSignal(result),
    isUnmapped: result.isUnmapped ?? false,
  };
}
