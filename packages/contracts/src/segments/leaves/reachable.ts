import { CHANNELS, type Channel } from '../../channels/channels.ts';
import { PURPOSES, type Purpose } from '../../push/purposes.ts';
import type { LeafDescriptor } from './descriptor.ts';

type ReachableCondition = { readonly reachable: Channel; readonly purpose?: Purpose };

export const reachable = {
  meaning:
    'a message with this `purpose` (default `transactional`) through the channel would reach the user now',
  schema: {
    properties: {
      reachable: { type: 'string', enum: [...CHANNELS] },
      purpose: { type: 'string', enum: [...PURPOSES] },
    },
  },
  label: 'Reachable by a channel',
  begins: ['can', 'cannot'],
  initial: { reachable: 'EMAIL', purpose: 'marketing' },
  names: null,
  words: ({ reachable: channel, purpose = 'transactional' }, say) =>
    `reachable by ${say.channel(channel)} (${purpose})`,
  fields: [
    { input: 'channel', label: 'Channel', before: 'be reached by', at: ['reachable'] },
    {
      input: 'choice',
      label: 'Purpose',
      before: 'with purpose',
      at: ['purpose'],
      options: PURPOSES,
      standard: 'transactional',
    },
  ],
} as const satisfies LeafDescriptor<ReachableCondition>;
