import { appPush } from './app-push.ts';
import type { ChannelDescriptor } from './descriptor.ts';
import { email } from './email.ts';
import { inApp } from './in-app.ts';
import { CHANNELS, type Channel } from './names.ts';
import { onSite } from './on-site.ts';
import { sms } from './sms.ts';
import { webHook } from './web-hook.ts';
import { webPush } from './web-push.ts';

const DESCRIPTORS = {
  SMS: sms,
  WEB_PUSH: webPush,
  APP_PUSH: appPush,
  EMAIL: email,
  WEB_HOOK: webHook,
  IN_APP: inApp,
  ON_SITE: onSite,
} as const satisfies Record<Channel, ChannelDescriptor>;

export const CHANNEL_DESCRIPTORS: Readonly<Record<Channel, ChannelDescriptor>> = DESCRIPTORS;

/** The channels whose descriptor has this shape. */
export type ChannelWith<Shape> = {
  [Name in Channel]: (typeof DESCRIPTORS)[Name] extends Shape ? Name : never;
}[Channel];

/** A map with an entry for each channel, in the order of `CHANNELS`. */
export function mapChannels<Value>(
  valueOf: (descriptor: ChannelDescriptor, channel: Channel) => Value,
): Readonly<Record<Channel, Value>> {
  return Object.fromEntries(
    CHANNELS.map((channel) => [channel, valueOf(CHANNEL_DESCRIPTORS[channel], channel)]),
  ) as Record<Channel, Value>;
}
