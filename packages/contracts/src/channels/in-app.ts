import { onScreenComposer } from './composer.ts';
import type { ChannelDescriptor } from './descriptor.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';
import { messageSchema, onScreenFields } from './message-schema.ts';
import { inboxSettings } from './settings/inbox.ts';

export const inApp = {
  slug: 'in-app',
  labels: {
    name: 'In-app',
    purpose: 'Messages inside your app, shown when the user opens it.',
    testTo: { label: 'User ID', placeholder: 'ada', example: 'ada' },
  },
  message: messageSchema(onScreenFields),
  // Devices show the title as text.
  templated: { title: 'text', body: 'html' },
  composer: onScreenComposer,
  preview: 'screen',
  providers: { inbox: inboxSettings },
  address: { kind: 'identity' },
  testAddressFields: [],
  expiry: { defaultMs: 30 * DAY_MS, hasTtl: false },
  retries: {
    baseMs: 10 * SECOND_MS,
    capMs: 30 * MINUTE_MS,
    attemptsMin: 6,
    ageMinMs: 24 * HOUR_MS,
  },
  repeat: { isIdempotent: true },
  capUnit: 'message',
  isInbox: true,
  hasOutcomePolling: false,
  hasBounces: false,
  suppressionReasons: [],
  reportedStates: ['sent', 'delivered', 'displayed', 'clicked'],
} as const satisfies ChannelDescriptor;
