import { SENT_AGAIN_ON_DOUBT } from './channels.ts';
import { mapChannels, type Channel } from './channels/descriptors.ts';

/**
 * How long an outcome is waited for before the message is sent again where only the application wants that: callbacks
 * and look-ups (a quarter of an hour for SMS) come first.
 */
export const SENT_AGAIN_AFTER_MS = mapChannels(({ repeat }) =>
  repeat.isHarmless ? 0 : repeat.afterMs,
);

/**
 * Whether a send whose outcome is unknown is made again: as the application says, else as is harmless on the channel.
 * Where a repeat is a second message for a person it is made once at most.
 */
export function isSentAgain(
  channel: Channel,
  { setting, doubts }: { readonly setting: boolean | undefined; readonly doubts: number },
): boolean {
  return (
    (setting ?? SENT_AGAIN_ON_DOUBT[channel]) && (SENT_AGAIN_ON_DOUBT[channel] || doubts === 0)
  );
}
