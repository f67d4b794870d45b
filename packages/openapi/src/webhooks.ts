import {
  webhookEventSchema,
  WEBHOOK_GROUPS,
  type WebhookGroup,
} from '@tidings/api-spec/webhook-events';
import { mediaType, type Json } from './operation.ts';

const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: true,
  schema: { type: 'string' },
  description,
});

const SIGNATURE = [
  header('webhook-id', 'The id of the event.'),
  header('webhook-timestamp', 'Seconds since the epoch, of this attempt.'),
  header(
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64, by the secret of the endpoint (Standard Webhooks).',
  ),
];

/** What Tidings calls at the endpoints of an application, as `POST /api/v1/webhooks` made them. */
export const WEBHOOKS: Json = Object.fromEntries(
  WEBHOOK_GROUPS.map((group) => [group.name.toLowerCase(), { post: buildWebhook(group) }]),
);

function buildWebhook(group: WebhookGroup): Json {
  const { name, summary, kinds, example } = group;
  return {
    operationId: `receive${name}Webhook`,
    tags: ['webhooks'],
    summary,
    description: `Sent once or more, in any order. Kinds: ${kinds.map((kind) => `\`${kind}\``).join(', ')}.`,
    parameters: SIGNATURE,
    requestBody: {
      required: true,
      content: {
        'application/json': mediaType(webhookEventSchema(group), {
          id: 'evt_5f2c0a4be1d34c9f8a7b6c5d4e3f2a1b',
          type: kinds.at(-1),
          timestamp: '2026-11-21T14:08:38.000Z',
          applicationId: '01a1fd9f-1111-7000-8000-000000000001',
          data: example,
        }),
      },
    },
    responses: {
      '2XX': { description: 'Taken. Anything else but 410 is tried again for a day and more.' },
      410: { description: 'The endpoint is switched off.' },
    },
  };
}
