import {
  CHANNEL_DESCRIPTORS,
  CHANNELS,
  mapChannels,
  type Channel,
  type ChannelWith,
} from './channels/descriptors.ts';

export { CHANNELS, type Channel };

/** A channel's name where capitals do not belong: topics, folders, metrics. */
export const CHANNEL_SLUGS = mapChannels(({ slug }) => slug);

/** Two lanes of dispatch, so that a large campaign never delays a small one. */
export const LANES = ['express', 'bulk'] as const;
export type Lane = (typeof LANES)[number];

/** A campaign with more unique recipients than this goes to the bulk lane. */
export const EXPRESS_RECIPIENTS_MAX = 1000;

/** The lane of a campaign, by its number of unique recipients. */
export function laneOf(uniqueRecipients: number): Lane {
  return uniqueRecipients <= EXPRESS_RECIPIENTS_MAX ? 'express' : 'bulk';
}

/** Channels whose messages are not sent: they wait until a device of the user fetches them. */
export type InboxChannel = ChannelWith<{ readonly isInbox: true }>;
export const INBOX_CHANNELS: readonly InboxChannel[] = CHANNELS.filter(isInboxChannel);

export function isInboxChannel(channel: Channel): channel is InboxChannel {
  return CHANNEL_DESCRIPTORS[channel].isInbox;
}

/** Channels whose provider can be asked what became of a message, by its recipient and time. */
export const POLLED_CHANNELS: readonly Channel[] = CHANNELS.filter(
  (channel) => CHANNEL_DESCRIPTORS[channel].hasOutcomePolling,
);

/**
 * Whether a send that may have been lost is made again: where a repeat is recognised by its id or replaces the first.
 * Where it would be a second message for a person, nobody sends again on doubt.
 */
export const RETRY_IF_UNKNOWN = mapChannels(({ repeat }) => repeat.isIdempotent);
