import type { Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import type { Option } from '../../ui/options.ts';

export const listProviderOptions = (channel: Channel): readonly Option[] =>
  Object.entries(CHANNEL_DESCRIPTORS[channel].providers).map(([value, { label }]) => ({
    value,
    label,
  }));
