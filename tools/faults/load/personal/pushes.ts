import type { Channel } from '@tidings/contracts/channels/channels';
import { userOf } from '../../rigs/delivery-rig.ts';
import { campaignOf } from '../delivery/pushes.ts';
import type { Entry } from '../ledger.ts';

/** A campaign that a worker of the version before cannot send, or one beside it that it can. */
export const PERSONAL_KINDS = [
  'plain',
  'personalize',
  'template',
  'split',
  'segment',
  'personal segment',
  'at a time',
  'at a local time',
  'all users',
] as const;
export type PersonalKind = (typeof PERSONAL_KINDS)[number];

export type PersonalPush = Entry & {
  readonly kind: PersonalKind;
  readonly channel: Channel;
  readonly key: string;
  /** Those who must have a delivery. */
  readonly recipients: readonly string[];
  /** Recipients whose local time comes hours after the row. */
  readonly later: ReadonlySet<string>;
  /** No message may be sent before, in milliseconds since the epoch. */
  readonly notBefore: number;
  readonly body: string;
  /** The messages that a recipient may get: one of them. */
  textsFor(customUserId: string): readonly string[];
};

/** Users of the segment, who are also the recipients of small campaigns. */
export const GROUP_SIZE = 12;
/** The attribute that the condition of the segment asks. */
export const GROUP = { attribute: 'group', is: 'one' } as const;
/** The first zone that has a local time, and one five hours behind it. */
const ZONES = ['Etc/GMT-14', 'Asia/Tokyo'] as const;
const FIRST_ZONE_AHEAD_MS = 14 * 3_600_000;
/** The local time has come in the first zone alone. */
const BEGUN_BEFORE_MS = 2 * 3_600_000;
const SEND_AFTER_MS = 10_000;

export const TEMPLATES = ['first', 'second'] as const;
export const templateOf = (channel: Channel, name: (typeof TEMPLATES)[number]): string =>
  `${name}-${channel.toLowerCase().replaceAll('_', '-')}`;

export const nameOf = (customUserId: string): string => `Name of ${customUserId}`;

/** The text of a template, whose key is the campaign. */
export const templateText = (name: (typeof TEMPLATES)[number]): string =>
  `${name} {{ campaign.id }} for {{ user.firstName }}`;

export type PersonalPushOptions = {
  readonly kind: PersonalKind;
  readonly channel: Channel;
  readonly key: string;
  /** Users of the application. */
  readonly users: number;
};

/** `now`: milliseconds since the epoch. */
export function personalPush(
  { kind, channel, key, users }: PersonalPushOptions,
  now: number,
): PersonalPush {
  const recipients = Array.from(
    { length: kind === 'all users' ? users : Math.min(users, GROUP_SIZE) },
    (_, user) => userOf(user),
  );
  const message = (body: string): object => ({ ...(channel !== 'SMS' && { title: key }), body });
  const list = { recipients, channel };
  const personal = { personalize: true, message: message(personalText(key)) };
  const segment = { segment: { condition: GROUP }, channel };
  const plain = { message: message(plainText(key)) };
  const first = { template: templateOf(channel, 'first') };
  const sendAt = now + SEND_AFTER_MS;
  const bodies = {
    plain: { ...list, ...plain },
    personalize: { ...list, ...personal },
    template: { ...list, ...first },
    split: {
      ...list,
      split: TEMPLATES.map((name) => ({ template: templateOf(channel, name), share: 1 })),
    },
    segment: { ...segment, ...plain },
    'personal segment': { ...segment, ...personal },
    'at a time': { ...list, ...first, sendAt },
    'at a local time': { ...list, ...plain, sendAtLocal: localTime(now) },
    'all users': { ...list, ...personal },
  } as const satisfies Record<PersonalKind, object>;
  const push: PersonalPush = {
    kind,
    channel,
    key,
    recipients,
    later: new Set(
      kind === 'at a local time' ? recipients.filter((_, user) => zoneOf(user) !== ZONES[0]) : [],
    ),
    notBefore: kind === 'at a time' ? sendAt : 0,
    body: JSON.stringify(bodies[kind]),
    attempts: [],
    textsFor: (customUserId) =>
      textsOf(kind, key).map((text) =>
        text
          .replace('{{ user.firstName }}', nameOf(customUserId))
          .replace('{{ campaign.id }}', campaignOf(push) ?? ''),
      ),
  };
  return push;
}

export const zoneOf = (user: number): string => ZONES[user % ZONES.length] ?? ZONES[0];

function localTime(now: number): string {
  return new Date(now - BEGUN_BEFORE_MS + FIRST_ZONE_AHEAD_MS).toISOString().slice(0, 16);
}

const plainText = (key: string): string => `${key} to {{ all }}`;
const personalText = (key: string): string => `${key} for {{ user.firstName }}`;

/** The texts of the messages of a campaign, before they are rendered. */
function textsOf(kind: PersonalKind, key: string): readonly string[] {
  switch (kind) {
    case 'plain':
    case 'segment':
    case 'at a local time':
      return [plainText(key)];
    case 'personalize':
    case 'personal segment':
    case 'all users':
      return [personalText(key)];
    case 'template':
    case 'at a time':
      return [templateText('first')];
    case 'split':
      return TEMPLATES.map(templateText);
  }
}
