import type { ChannelDescriptor } from './descriptor.ts';
import { messageOf, optionalText, text } from './message-schema.ts';

export const email = {
  slug: 'email',
  labels: {
    name: 'E-mail',
    purpose: 'Through your SMTP provider, with DKIM, one-click unsubscribing and bounces.',
    testTo: { label: 'To the address', placeholder: 'me@example.com' },
  },
  message: messageOf({ title: optionalText, body: text }),
  address: { kind: 'mailbox' },
  isInbox: false,
  hasOutcomeLookup: false,
  // SMTP ends with the handover; links and pictures of the mail report the rest.
  reportedStates: ['sent', 'opened', 'clicked'],
} as const satisfies ChannelDescriptor;
