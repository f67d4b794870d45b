import { SENT_AGAIN_ON_DOUBT, type Channel } from './channels.ts';

const MINUTE_MS = 60_000;

/**
 * How long an outcome is waited for before the message is sent again where only the application wants that: callbacks
 * and look-ups (a quarter of an hour for SMS) come first.
 */
export const SENT_AGAIN_AFTER_MS = {
  SMS: 20 * MINUTE_MS,
  WEB_PUSH: 0,
  APP_PUSH: 0,
  EMAIL: MINUTE_MS,
  WEB_HOOK: 0,
  IN_APP: 0,
  ON_SITE: 0,
} as const satisfies Record<Channel, number>;

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
