/** OpenAPI tags, one per part of the API. */
export const TAGS = [
  { name: 'ingest', description: 'Submit events and users, and read the outcome of each message.' },
  { name: 'push', description: 'Send messages to users.' },
  { name: 'sdk', description: 'Endpoints for devices: browsers and mobile apps.' },
  {
    name: 'campaigns',
    description: 'Send, control and report campaigns, with the outcome for each recipient.',
  },
  { name: 'drafts', description: 'Campaigns that are being written.' },
  { name: 'test-sends', description: 'Tests of a message before it is sent.' },
  {
    name: 'users',
    description: 'Registered users: search, profile, events, timeline, export, deletion.',
  },
  { name: 'events', description: 'Events of all users, and events without a user.' },
  { name: 'definitions', description: 'Event definitions and their charts.' },
  {
    name: 'segments',
    description: 'Named conditions over users: members, counts, and why a user is a member.',
  },
  { name: 'funnels', description: 'How far people come in some steps.' },
  {
    name: 'automations',
    description: 'What happens to people after a trigger: versions, runs, and why.',
  },
  { name: 'rehearsals', description: 'What automations would have done with stored events.' },
  { name: 'suggestions', description: 'What conditions may compare: names, types and values.' },
  {
    name: 'templates',
    description: 'Named messages with Liquid, their versions, and previews for a user.',
  },
  { name: 'blocks', description: 'Texts that several templates share, and their versions.' },
  { name: 'applications', description: 'Applications (tenants) and their settings.' },
  { name: 'keys', description: 'API keys.' },
  { name: 'allow-list', description: 'The IP addresses from which API keys may be used.' },
  { name: 'channels', description: 'Channel settings and test sends.' },
  {
    name: 'webhooks',
    description: 'Webhook endpoints and their delivery log.',
  },
  { name: 'suppressions', description: 'Suppressed addresses.' },
  { name: 'dead-letters', description: 'Records that could not be stored.' },
  { name: 'session', description: 'Sign in to the dashboard.' },
  { name: 'members', description: 'Members of the organisation and their roles.' },
  { name: 'administrator-tokens', description: 'Tokens for administration by programs.' },
  { name: 'audit', description: 'The audit log.' },
  {
    name: 'overview',
    description: 'The state of an application, and problems that need attention.',
  },
  {
    name: 'search',
    description: 'One search over users, campaigns, segments, templates and ids.',
  },
  { name: 'live', description: 'Live updates as server-sent events.' },
  { name: 'revenue', description: 'Revenue charts.' },
  { name: 'openapi', description: 'This document.' },
] as const;
