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
  header('webhook-id', 'The event id. The same for every attempt.'),
  header('webhook-timestamp', 'Time of this attempt, in seconds since the epoch.'),
  header(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body` with the endpoint’s secret (Standard Webhooks). Several are separated by spaces while a secret is rotated.',
  ),
];

/** The requests that Tidings sends to webhook endpoints. */
export const WEBHOOKS: Json = Object.fromEntries(
  WEBHOOK_GROUPS.map((group) => [group.name.toLowerCase(), { post: buildWebhook(group) }]),
);

function buildWebhook(group: WebhookGroup): Json {
  const { name, summary, kinds, example } = group;
  return {
    operationId: `receive${name}Webhook`,
    tags: ['webhooks'],
    summary,
    description: `Delivered at least once, in any order. Kinds: ${kinds.map((kind) => `\`${kind}\``).join(', ')}.`,
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
      '2XX': {
        description: 'Accepted. Any other status except 410 is retried for more than a day.',
      },
      410: { description: 'Tidings disables the endpoint.' },
    },
  };
}
