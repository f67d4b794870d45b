import {
  CHANNEL_DESCRIPTORS,
  CHANNELS,
  mapChannels,
  type Channel,
  type ChannelWith,
} from './descriptors.ts';

export { CHANNELS, type Channel };

/** Channel names in lower case: for topics, folders and metrics. */
export const CHANNEL_SLUGS = mapChannels(({ slug }) => slug);

/** Two dispatch lanes: a large campaign never delays a small one. */
export const LANES = ['express', 'bulk'] as const;
export type Lane = (typeof LANES)[number];

/** A campaign with more unique recipients than this goes to the bulk lane. */
export const EXPRESS_RECIPIENTS_MAX = 1000;

/** The lane of a campaign, by its number of unique recipients. */
export function chooseLane(uniqueRecipients: number): Lane {
  return uniqueRecipients <= EXPRESS_RECIPIENTS_MAX ? 'express' : 'bulk';
}

/** Channels whose messages are not sent: devices of the user fetch them. */
export type InboxChannel = ChannelWith<{ readonly isInbox: true }>;
export const INBOX_CHANNELS: readonly InboxChannel[] = CHANNELS.filter(isInboxChannel);

export function isInboxChannel(channel: Channel): channel is InboxChannel {
  return CHANNEL_DESCRIPTORS[channel].isInbox;
}

/** Channels whose provider can be polled for the outcome of a message, by recipient and time. */
export const POLLED_CHANNELS: readonly Channel[] = CHANNELS.filter(
  (channel) => CHANNEL_DESCRIPTORS[channel].hasOutcomePolling,
);

/**
 * Whether a send with an unknown outcome is repeated by default: only if the receiver deduplicates
 * it by id or the repeat replaces the first message. Otherwise a person would get a second message.
 */
export const RETRY_IF_UNKNOWN = mapChannels(({ repeat }) => repeat.isIdempotent);
