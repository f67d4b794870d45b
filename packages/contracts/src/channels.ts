/** The seven channels a campaign can use (see README.md, "POST /push"). */
export const CHANNELS = [
  'SMS',
  'WEB_PUSH',
  'APP_PUSH',
  'EMAIL',
  'WEB_HOOK',
  'IN_APP',
  'ON_SITE',
] as const;
export type Channel = (typeof CHANNELS)[number];

/** A channel's name where capitals do not belong: topics, folders, metrics. */
export const CHANNEL_SLUGS = {
  SMS: 'sms',
  WEB_PUSH: 'web-push',
  APP_PUSH: 'app-push',
  EMAIL: 'email',
  WEB_HOOK: 'web-hook',
  IN_APP: 'in-app',
  ON_SITE: 'on-site',
} as const satisfies Record<Channel, string>;

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
export const INBOX_CHANNELS = ['IN_APP', 'ON_SITE'] as const satisfies readonly Channel[];
export type InboxChannel = (typeof INBOX_CHANNELS)[number];

/** Channels whose provider can be asked what became of a message, by its recipient and time. */
export const LOOKED_UP_CHANNELS = ['SMS'] as const satisfies readonly Channel[];

/**
 * Whether a send that may have been lost is made again: where a repeat is recognised by its id or replaces the first.
 * Where it would be a second message for a person, nobody sends again on doubt.
 */
export const SENT_AGAIN_ON_DOUBT = {
  SMS: false,
  WEB_PUSH: true,
  APP_PUSH: true,
  EMAIL: false,
  WEB_HOOK: true,
  IN_APP: true,
  ON_SITE: true,
} as const satisfies Record<Channel, boolean>;
