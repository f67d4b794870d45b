import type { ChannelDescriptor } from './descriptor.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './durations.ts';
import { messageSchema, optionalChoice, optionalText, text } from './message-schema.ts';
import { smtpSettings } from './settings/smtp.ts';

export const email = {
  slug: 'email',
  labels: {
    name: 'E-mail',
    purpose:
      'E-mail through your SMTP provider, with DKIM, one-click unsubscribe and bounce handling.',
    testTo: { label: 'E-mail address', placeholder: 'me@example.com', example: 'me@example.com' },
  },
  message: messageSchema({
    title: optionalText,
    body: text,
    format: optionalChoice(['text', 'html']),
  }),
  templated: { title: 'line', body: 'mail' },
  composer: {
    title: { label: 'Subject', isNeeded: true, needed: 'a subject' },
    body: { label: 'HTML or text', isTall: true },
    format: { label: 'Format', unset: 'Detected from the text' },
  },
  preview: 'mail',
  providers: { smtp: smtpSettings },
  address: { kind: 'mailbox' },
  testAddressFields: ['email'],
  expiry: { defaultMs: 3 * DAY_MS, hasTtl: false },
  retries: { baseMs: MINUTE_MS, capMs: 2 * HOUR_MS, attemptsMin: 6, ageMinMs: 24 * HOUR_MS },
  repeat: { isIdempotent: false, afterMs: MINUTE_MS },
  capUnit: 'message',
  isInbox: false,
  hasOutcomePolling: false,
  hasBounces: true,
  suppressionReasons: ['unsubscribed', 'suppressed_bounce', 'suppressed_complaint'],
  // SMTP reports nothing after acceptance; links and images of the mail report opens and clicks.
  reportedStates: ['sent', 'opened', 'clicked'],
} as const satisfies ChannelDescriptor;
