import { RETRY_IF_UNKNOWN } from './channels.ts';
import { mapChannels, type Channel } from './channels/descriptors.ts';

/**
 * How long an outcome is waited for before the message is sent again where only the application wants that: callbacks
 * and look-ups (a quarter of an hour for SMS) come first.
 */
export const RETRY_UNKNOWN_AFTER_MS = mapChannels(({ repeat }) =>
  repeat.isIdempotent ? 0 : repeat.afterMs,
);

/**
 * Whether a send whose outcome is unknown is made again: as the application says, else as is harmless on the channel.
 * Where a repeat is a second message for a person it is made once at most.
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
