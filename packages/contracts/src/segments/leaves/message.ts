import { CHANNELS, type Channel } from '../../channels/channels.ts';
import { LIMITS } from '../../limits.ts';
import { PURPOSES, type Purpose } from '../../push/purposes.ts';
import type { LeafDescriptor, Phrases } from './descriptor.ts';
import type { EventWindow, NumberRange } from './parts.ts';
import { RANGE, TEXT, window } from './schemas.ts';

export const MESSAGE_MILESTONES = ['sent', 'delivered', 'opened', 'clicked'] as const;
export type MessageMilestone = (typeof MESSAGE_MILESTONES)[number];

/** The message of one campaign, or each message that has all of these. */
export type NamedMessages = {
  readonly campaignId?: string;
  readonly channel?: Channel;
  readonly purpose?: Purpose;
  /** The campaign has it now. */
  readonly tag?: string;
};

type MessageCondition = EventWindow & {
  readonly message: NamedMessages;
  readonly was: MessageMilestone;
  /** Of messages without a campaign. Default: at least one. */
  readonly count?: NumberRange;
};

export const message = {
  meaning:
    'the message of `{"campaignId"}`, or `count` messages (default `{"gte": 1}`) of `{"channel", "purpose", "tag"}`, `was` `sent`, `delivered`, `opened` or `clicked` in the window. All three are optional: `{}` is any message',
  schema: {
    required: ['was'],
    properties: {
      message: {
        type: 'object',
        properties: {
          campaignId: { type: 'string', format: 'uuid', description: 'a UUID' },
          channel: { type: 'string', enum: [...CHANNELS] },
          purpose: { type: 'string', enum: [...PURPOSES] },
          tag: { ...TEXT, maxLength: LIMITS.campaignTagCharsMax },
        },
        additionalProperties: false,
      },
      was: { type: 'string', enum: [...MESSAGE_MILESTONES] },
      count: RANGE,
      ...window,
    },
  },
  label: 'Message',
  begins: ['did', 'did not'],
  initial: { message: {}, was: 'sent', within: '7d' },
  names: null,
  words: describeMessage,
  fields: null,
} as const satisfies LeafDescriptor<MessageCondition>;

function describeMessage(
  {
    message: { campaignId, channel, purpose, tag },
    was,
    count = { gte: 1 },
    ...when
  }: MessageCondition,
  say: Phrases,
): string {
  if (campaignId !== undefined)
    return `message of campaign ${campaignId || '…'} ${was}${say.window(when)}`;
  const isAny = count.gte === 1 && Object.keys(count).length === 1;
  const kind = `${purpose === undefined ? '' : `${purpose} `}message${isAny ? '' : 's'}`;
  const through = channel === undefined ? '' : ` by ${say.channel(channel)}`;
  const tagged = tag === undefined ? '' : ` tagged “${say.text(tag)}”`;
  return `${isAny ? 'any' : say.range(count)} ${kind}${tagged}${through} ${was}${say.window(when)}`;
}
