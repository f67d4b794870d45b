import type { ChannelDescriptor } from './descriptor.ts';
import { messageOf, onScreenFields } from './message-schema.ts';

export const onSite = {
  slug: 'on-site',
  labels: {
    name: 'On-site',
    purpose: 'Waits on the site until the user comes.',
    testTo: { label: 'To the customUserId', placeholder: 'ada' },
  },
  message: messageOf(onScreenFields),
  address: { kind: 'identity' },
  isInbox: true,
  hasOutcomeLookup: false,
  reportedStates: ['sent', 'delivered', 'displayed', 'clicked'],
} as const satisfies ChannelDescriptor;
