import { mapChannels } from '@tidings/contracts/channels/descriptors';

const CHANNEL_NAMES = mapChannels(({ labels }) => labels.name);

export const channelName = (channel: string): string =>
  (CHANNEL_NAMES as Readonly<Record<string, string>>)[channel] ?? channel;
