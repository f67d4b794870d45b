import { title } from './composer.ts';
import type { ChannelDescriptor } from './descriptor.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from './durations.ts';
import {
  messageSchema,
  optionalChoice,
  optionalHeaders,
  optionalHeaderValue,
  optionalObject,
  optionalText,
  optionalWebLink,
  textOrObject,
} from './message-schema.ts';
import { hookSettings } from './settings/hooks.ts';

export const webHook = {
  slug: 'web-hook',
  labels: {
    name: 'Webhook',
    purpose: 'A signed HTTP request to your systems for each recipient.',
    testTo: { label: 'User ID', placeholder: 'ada', example: 'ada' },
  },
  message: messageSchema({
    body: textOrObject,
    title: optionalText,
    url: optionalWebLink,
    method: optionalChoice(['POST', 'PUT', 'PATCH']),
    headers: optionalHeaders,
    contentType: optionalHeaderValue,
    customContent: optionalObject,
  }),
  // The URL and headers are the same for all users: no value of a user chooses the receiver.
  templated: { title: 'text', body: 'values', customContent: 'values' },
  composer: {
    title,
    body: { label: 'Body', hint: 'Text or a JSON object' },
    url: { label: 'URL', hint: 'Leave empty to use the URL of the channel' },
    method: { label: 'Method' },
    headers: { label: 'Headers', hint: 'A JSON object of header names and values' },
    contentType: { label: 'Content type', hint: 'Default: application/json' },
    customContent: { label: 'Custom content', hint: 'A JSON object' },
  },
  preview: 'json',
  providers: { hooks: hookSettings },
  address: { kind: 'identity' },
  testAddressFields: [],
  expiry: { defaultMs: 30 * DAY_MS, hasTtl: false },
  retries: { baseMs: 5 * SECOND_MS, capMs: 10 * HOUR_MS, attemptsMin: 8, ageMinMs: 24 * HOUR_MS },
  repeat: { isIdempotent: true },
  capUnit: 'message',
  isInbox: false,
  hasOutcomePolling: false,
  hasBounces: false,
  suppressionReasons: [],
  // The receiver only reports acceptance.
  reportedStates: ['sent'],
} as const satisfies ChannelDescriptor;
