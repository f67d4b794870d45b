import { CHANNEL_DESCRIPTORS, CHANNELS, type Channel, type ChannelWith } from './descriptors.ts';

/** Channels on which each device of a user is a separate address. */
export type DeviceChannel = ChannelWith<{ readonly address: { readonly kind: 'device' } }>;

export const DEVICE_CHANNELS: readonly DeviceChannel[] = CHANNELS.filter(isDeviceChannel);

/** The device kind of each channel. */
export const DEVICE_KIND_OF = Object.fromEntries(
  DEVICE_CHANNELS.map((channel) => [channel, deviceKindOf(channel)]),
) as Readonly<Record<DeviceChannel, 'web_push' | 'fcm'>>;

function deviceKindOf(channel: Channel): 'web_push' | 'fcm' | null {
  const { address } = CHANNEL_DESCRIPTORS[channel];
  return address.kind === 'device' ? address.deviceKind : null;
}

/** Maximum devices of a user that get a message: the most recently seen ones. */
export const DEVICES_SENT_TO_MAX = 20;

/** Whether a user may have several addresses on this channel. */
export function isDeviceChannel(channel: Channel): channel is DeviceChannel {
  return CHANNEL_DESCRIPTORS[channel].address.kind === 'device';
}
