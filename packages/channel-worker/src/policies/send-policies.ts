import {
  DEFAULT_TIME_ZONE,
  isTimeZone,
  type Channel,
  type FrequencyCap,
  type QuietHours,
  type ApplicationSettings,
} from '@tidings/contracts';

/** What an application wants of the sends of one channel. */
export type SendPolicies = {
  readonly timeZone: string;
  readonly quietHours: QuietHours | null;
  readonly frequencyCap: FrequencyCap | null;
  /** Messages, of SMS segments, on one day. */
  readonly dailyCap: number | null;
  /** Whether unknown outcomes are sent again; undefined: as is harmless. */
  readonly resendOnUnknown: boolean | undefined;
};

/** The policies of a channel: its own, else the application's default for all channels. */
export function resolvePolicies(channel: Channel, settings: ApplicationSettings): SendPolicies {
  const { timeZone, quietHours, frequencyCaps, dailyCaps, resendOnUnknown } = settings;
  const cap = frequencyCaps?.[channel] ?? frequencyCaps?.default;
  return {
    // A name that was known when it was set, and is not to this runtime: better another hour than none.
    timeZone: timeZone !== undefined && isTimeZone(timeZone) ? timeZone : DEFAULT_TIME_ZONE,
    quietHours: quietHours?.[channel] ?? quietHours?.default ?? null,
    frequencyCap: cap !== undefined && cap.messages > 0 ? cap : null,
    dailyCap: dailyCaps?.[channel] || null,
    resendOnUnknown: resendOnUnknown?.[channel],
  };
}
