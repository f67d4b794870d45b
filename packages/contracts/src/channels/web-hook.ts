import type { ChannelDescriptor } from './descriptor.ts';
import {
  messageOf,
  optionalChoice,
  optionalHeaders,
  optionalHeaderValue,
  optionalObject,
  optionalText,
  optionalWebLink,
} from './message-schema.ts';

export const webHook = {
  slug: 'web-hook',
  labels: {
    name: 'Webhook',
    purpose: 'A signed request to your own systems for each recipient.',
    testTo: { label: 'As to the customUserId', placeholder: 'ada' },
  },
  message: messageOf({
    body: { type: ['string', 'object'], minLength: 1 },
    title: optionalText,
    url: optionalWebLink,
    method: optionalChoice(['POST', 'PUT', 'PATCH']),
    headers: optionalHeaders,
    contentType: optionalHeaderValue,
    customContent: optionalObject,
  }),
  address: { kind: 'identity' },
  isInbox: false,
  hasOutcomeLookup: false,
  // The receiver answers once.
  reportedStates: ['sent'],
} as const satisfies ChannelDescriptor;
