import type { LeafDescriptor } from './descriptor.ts';
import type { EventWindow } from './parts.ts';
import { window } from './schemas.ts';

export const MESSAGE_MILESTONES = ['sent', 'delivered', 'opened', 'clicked'] as const;
export type MessageMilestone = (typeof MESSAGE_MILESTONES)[number];

type MessageCondition = EventWindow & {
  readonly message: { readonly campaignId: string };
  readonly was: MessageMilestone;
};

export const message = {
  meaning:
    'the message of `{"campaignId"}` `was` `sent`, `delivered`, `opened` or `clicked` in the window',
  schema: {
    required: ['was'],
    properties: {
      message: {
        type: 'object',
        required: ['campaignId'],
        properties: { campaignId: { type: 'string', format: 'uuid', description: 'a UUID' } },
        additionalProperties: false,
      },
      was: { type: 'string', enum: [...MESSAGE_MILESTONES] },
      ...window,
    },
  },
  label: 'Message of a campaign',
  initial: { message: { campaignId: '' }, was: 'opened' },
  names: ['message', 'campaignId'],
  words: (node, say) =>
    `message of campaign ${node.message.campaignId} ${node.was}${say.window(node)}`,
  fields: [
    { input: 'text', label: 'Campaign ID', at: ['message', 'campaignId'] },
    { input: 'choice', label: 'Was', at: ['was'], options: MESSAGE_MILESTONES },
  ],
} as const satisfies LeafDescriptor<MessageCondition>;
