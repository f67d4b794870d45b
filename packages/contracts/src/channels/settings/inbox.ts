import type { ChannelProvider } from '../provider.ts';

/** The inbox that devices fetch messages from: no provider to sign in to. */
export const inboxSettings = {
  label: 'Inbox',
  fields: {},
  example: {},
} as const satisfies ChannelProvider;
