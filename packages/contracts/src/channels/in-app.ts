import type { ChannelDescriptor } from './descriptor.ts';
import { messageOf, onScreenFields } from './message-schema.ts';

export const inApp = {
  slug: 'in-app',
  labels: {
    name: 'In-app',
    purpose: 'Waits in the app until the user opens it.',
    testTo: { label: 'To the customUserId', placeholder: 'ada' },
  },
  message: messageOf(onScreenFields),
  address: { kind: 'identity' },
  isInbox: true,
  hasOutcomeLookup: false,
  reportedStates: ['sent', 'delivered', 'displayed', 'clicked'],
} as const satisfies ChannelDescriptor;
