import type { Channel } from './channels.ts';

/** Channels on which each device of a user is an address of its own, with the kind of device that is one. */
export const DEVICE_KIND_OF = { WEB_PUSH: 'web_push', APP_PUSH: 'fcm' } as const satisfies Partial<
  Record<Channel, string>
>;
export type DeviceChannel = keyof typeof DEVICE_KIND_OF;

export const DEVICE_CHANNELS = Object.keys(DEVICE_KIND_OF) as DeviceChannel[];

/** So many devices of a user get a message at most: those that were seen last. */
export const DEVICES_SENT_TO_MAX = 20;

/** Whether a user may have several addresses on this channel. */
export function isDeviceChannel(channel: Channel): channel is DeviceChannel {
  return Object.hasOwn(DEVICE_KIND_OF, channel);
}
