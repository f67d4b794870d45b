import type { ChannelDescriptor } from './descriptor.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from './durations.ts';
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
  testAddressFields: [],
  expiry: { defaultMs: 30 * DAY_MS, hasTtl: false },
  retries: { baseMs: 5 * SECOND_MS, capMs: 10 * HOUR_MS, attemptsMin: 8, ageMinMs: 24 * HOUR_MS },
  repeat: { isHarmless: true },
  capUnit: 'message',
  isInbox: false,
  hasOutcomeLookup: false,
  // The receiver answers once.
  reportedStates: ['sent'],
} as const satisfies ChannelDescriptor;
