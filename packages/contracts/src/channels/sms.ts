import { LIMITS } from '../limits.ts';
import { body } from './composer.ts';
import type { ChannelDescriptor } from './descriptor.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';
import { messageSchema, shortText } from './message-schema.ts';
import { twilioSettings } from './settings/twilio.ts';
import { vonageSettings } from './settings/vonage.ts';

export const sms = {
  slug: 'sms',
  labels: {
    name: 'SMS',
    purpose: 'Text messages to phones, with delivery reports and STOP handling.',
    testTo: { label: 'Phone number', placeholder: '+4915112345678', example: '+4915112345678' },
  },
  message: messageSchema({ body: shortText(LIMITS.smsBodyCharsMax) }),
  templated: { body: 'text' },
  composer: { body },
  preview: 'text',
  providers: { twilio: twilioSettings, vonage: vonageSettings },
  address: { kind: 'phone' },
  testAddressFields: ['phoneNumber', 'phoneE164'],
  expiry: { defaultMs: DAY_MS, hasTtl: false },
  retries: { baseMs: 30 * SECOND_MS, capMs: 30 * MINUTE_MS, attemptsMin: 5, ageMinMs: 4 * HOUR_MS },
  // Callbacks and 15 minutes of polling come first.
  repeat: { isIdempotent: false, afterMs: 20 * MINUTE_MS },
  capUnit: 'segment',
  isInbox: false,
  hasOutcomePolling: true,
  hasBounces: false,
  suppressionReasons: ['unsubscribed', 'sms_stop', 'suppressed_bounce', 'suppressed_complaint'],
  reportedStates: ['sent', 'delivered'],
} as const satisfies ChannelDescriptor;
