import { appPush } from './app-push.ts';
import type { ChannelDescriptor } from './descriptor.ts';
import { email } from './email.ts';
import { inApp } from './in-app.ts';
import { CHANNELS, type Channel } from './names.ts';
import { onSite } from './on-site.ts';
import { sms } from './sms.ts';
import { webHook } from './web-hook.ts';
import { webPush } from './web-push.ts';

/** What each channel is. */
const DESCRIPTORS = {
  SMS: sms,
  WEB_PUSH: webPush,
  APP_PUSH: appPush,
  EMAIL: email,
  WEB_HOOK: webHook,
  IN_APP: inApp,
  ON_SITE: onSite,
} as const satisfies Readonly<Record<Channel, ChannelDescriptor>>;

export { CHANNELS, type Channel };

export const CHANNEL_DESCRIPTORS: Readonly<Record<Channel, ChannelDescriptor>> = DESCRIPTORS;

/** The channels whose descriptor matches this shape. */
export type ChannelWith<Shape> = {
  [Name in Channel]: (typeof DESCRIPTORS)[Name] extends Shape ? Name : never;
}[Channel];

/** The names of a channel's providers. */
export type ProviderName<Name extends Channel> = keyof (typeof DESCRIPTORS)[Name]['providers'];

/** Maps every channel to a value, in the order of `CHANNELS`. */
export function mapChannels<Value>(
  valueOf: (descriptor: ChannelDescriptor, channel: Channel) => Value,
): Readonly<Record<Channel, Value>> {
  return Object.fromEntries(
    CHANNELS.map((channel) => [channel, valueOf(CHANNEL_DESCRIPTORS[channel], channel)]),
  ) as Record<Channel, Value>;
}
