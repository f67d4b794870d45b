/** What the operations are about: the part of the interface that an address is of. */
export const TAGS = [
  { name: 'ingest', description: 'Submitting messages, and what became of each.' },
  { name: 'push', description: 'Sending a message to users.' },
  { name: 'sdk', description: 'What devices call: a browser, or an app on a phone.' },
  {
    name: 'campaigns',
    description: 'Sending, and what became of each sent message and each recipient.',
  },
  { name: 'users', description: 'Registered users: profile, events, export, deletion.' },
  { name: 'events', description: 'Events of all users, and of none.' },
  { name: 'definitions', description: 'The events that an application knows.' },
  { name: 'applications', description: 'Tenants and their settings.' },
  { name: 'keys', description: 'API keys.' },
  { name: 'allow-list', description: 'The addresses that keys may be used from.' },
  { name: 'channels', description: 'The settings of channels, and test sends.' },
  {
    name: 'webhooks',
    description:
      'Endpoints that are told what becomes of campaigns, and the log of what was sent to them.',
  },
  { name: 'suppressions', description: 'Addresses that nothing is sent to.' },
  { name: 'dead-letters', description: 'Records that no transaction could hold.' },
  { name: 'session', description: 'Signing in to the pages.' },
  { name: 'members', description: 'Who may sign in, and what they may do.' },
  { name: 'administrator-tokens', description: 'The tokens of programs that administrate.' },
  { name: 'audit', description: 'Who changed what.' },
  { name: 'overview', description: 'How an application fares, and what needs somebody.' },
  { name: 'live', description: 'What changes, as it changes.' },
  { name: 'revenue', description: 'What revenue events bring in.' },
  { name: 'openapi', description: 'This document.' },
] as const;
