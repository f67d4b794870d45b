import type { ApplicationSettings } from '@tidings/contracts/application-settings';
import type { Channel } from '@tidings/contracts/channels/channels';
import { DEFAULT_TIME_ZONE, type FrequencyCap, type QuietHours } from '@tidings/contracts/policies';
import { isTimeZone } from '@tidings/contracts/time-zones';

/** An application's sending policies for one channel. */
export type SendPolicies = {
  readonly timeZone: string;
  readonly quietHours: QuietHours | null;
  readonly frequencyCap: FrequencyCap | null;
  /** Maximum messages per day; for SMS, segments. */
  readonly dailyCap: number | null;
  /** Whether unknown outcomes are retried; undefined uses the channel's default. */
  readonly resendOnUnknown: boolean | undefined;
  /** Whether accounts send that no test send has proved. */
  readonly sendsUntested: boolean;
};

/** The policies of a channel: its own, or the application's default. */
export function resolvePolicies(channel: Channel, settings: ApplicationSettings): SendPolicies {
  const { timeZone, quietHours, frequencyCaps, dailyCaps, resendOnUnknown, sendUntested } =
    settings;
  const cap = frequencyCaps?.[channel] ?? frequencyCaps?.default;
  return {
    // A zone that this runtime does not know falls back to the default.
    timeZone: timeZone !== undefined && isTimeZone(timeZone) ? timeZone : DEFAULT_TIME_ZONE,
    quietHours: quietHours?.[channel] ?? quietHours?.default ?? null,
    frequencyCap: cap !== undefined && cap.messages > 0 ? cap : null,
    dailyCap: dailyCaps?.[channel] || null,
    resendOnUnknown: resendOnUnknown?.[channel],
    sendsUntested: sendUntested ?? false,
  };
}
