import { LIMITS } from '../limits.ts';
import type { ChannelDescriptor } from './descriptor.ts';
import { messageOf, shortText } from './message-schema.ts';

export const sms = {
  slug: 'sms',
  labels: {
    name: 'SMS',
    purpose: 'Through Twilio, with delivery reports and STOP.',
    testTo: { label: 'To the number', placeholder: '+4915112345678' },
  },
  message: messageOf({ body: shortText(LIMITS.smsBodyCharsMax) }),
  address: { kind: 'phone' },
  isInbox: false,
  hasOutcomeLookup: true,
  reportedStates: ['sent', 'delivered'],
} as const satisfies ChannelDescriptor;
