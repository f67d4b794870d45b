import type { PushMessage } from '@tidings/contracts/push/push';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { IsHtmlMail } from '../rendered-message.ts';
import { NullableInstant, NullableString, Uuid, oneOf } from '../schemas.ts';
import { USER_QUESTION_BUSY } from '../user-questions.ts';
import { RecipientTemplate } from './campaign-templates.ts';

/**
 * Why the words are not known. `not_sent`: no attempt has begun. `not_kept`: nothing was recorded.
 * `renderer_changed`: this version would make other words of what was recorded.
 */
const UNKNOWN_WORDS = ['not_sent', 'not_kept', 'renderer_changed'] as const;
export type UnknownWords = (typeof UNKNOWN_WORDS)[number];

export const readSentMessageEndpoint = endpoint({
  name: 'readSentMessage',
  access: 'reader',
  parameters: { campaignId: Uuid, deliveryId: Uuid },
  errorStatuses: [404],
  method: 'GET',
  isQuestion: true,
  path: 'campaigns/:campaignId/deliveries/:deliveryId/message',
  summary: 'Read the message that a recipient got, word for word',
  description: `Of a personalised campaign it is rendered again from what was filled in at the first attempt, which is kept as long as the delivery, unless the application has \`keepSentMessages\` off. The words are compared with a hash of those that were sent. Links are as before they are tracked, and \`{{unsubscribeUrl}}\` stands for the recipient's own. ${USER_QUESTION_BUSY}`,
  answer: {
    status: 200,
    description: 'The message, or why its words are not known.',
    schema: Type.Object({
      message: Type.Optional(Type.Unsafe<PushMessage>({ type: 'object' })),
      isHtml: IsHtmlMail,
      text: Type.Optional(
        Type.String({
          description:
            'Of EMAIL: the plain text. Absent if a version of this service with another renderer sent it.',
        }),
      ),
      unknown: Type.Optional(oneOf(UNKNOWN_WORDS)),
      template: RecipientTemplate,
      variant: Type.Unsafe<string | null>({
        ...NullableString,
        description: 'The variant of the template; null: its own message.',
      }),
      values: Type.Unsafe<Readonly<Record<string, unknown>> | null>({
        type: ['object', 'null'],
        description: 'What was filled in; null: nothing is recorded.',
      }),
      renderedAt: Type.Unsafe<number | null>({
        ...NullableInstant,
        description: 'The time of the first attempt, which `now` was; null: nothing is recorded.',
      }),
    }),
    example: {
      message: { title: 'Hello Ada', body: '<p>Hello</p>' },
      isHtml: true,
      text: 'Hello',
      template: { slug: 'welcome', version: 3 },
      variant: null,
      values: { firstName: 'Ada' },
      renderedAt: 1_795_256_516_534,
    },
  },
});
