import { RETRY_IF_UNKNOWN } from '../channels/channels.ts';
import { mapChannels, type Channel } from '../channels/descriptors.ts';

/**
 * Wait before an opt-in repeat of a send with an unknown outcome: callbacks and polling (15 minutes
 * for SMS) come first.
 */
export const RETRY_UNKNOWN_AFTER_MS = mapChannels(({ repeat }) =>
  repeat.isIdempotent ? 0 : repeat.afterMs,
);

/**
 * Whether a send with an unknown outcome is repeated: by the setting of the application, else by
 * the default of the channel. If a repeat is a second message for a person, it happens at most
 * once.
 */
export function shouldRetryUnknown(
  channel: Channel,
  {
    setting,
    ambiguousAttempts,
  }: { readonly setting: boolean | undefined; readonly ambiguousAttempts: number },
): boolean {
  return (
    (setting ?? RETRY_IF_UNKNOWN[channel]) && (RETRY_IF_UNKNOWN[channel] || ambiguousAttempts === 0)
  );
}
