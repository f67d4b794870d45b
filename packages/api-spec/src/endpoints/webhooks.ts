import { WEBHOOK_DELIVERY_STATES } from '@tidings/contracts/webhooks';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { Uuid, oneOf, pageQuery, pageSchema } from '../schemas.ts';
import {
  SECRET_EXAMPLE,
  WEBHOOK_DELIVERY_EXAMPLE,
  WEBHOOK_EXAMPLE,
  WEBHOOK_FIELDS,
  Webhook,
  WebhookDelivery,
  WebhookTest,
  WebhookWithSecret,
} from '../webhook-schemas.ts';

const webhook = { access: 'application_administrator', parameters: { webhookId: Uuid } } as const;
const { url, description, kinds, channels } = WEBHOOK_FIELDS;
const optional = {
  description: Type.Optional(description),
  kinds: Type.Optional(kinds),
  channels: Type.Optional(channels),
};

export const listWebhooksEndpoint = endpoint({
  name: 'listWebhooks',
  method: 'GET',
  path: 'webhooks',
  access: 'application_administrator',
  summary: 'List webhook endpoints, oldest first',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of endpoints.',
    schema: pageSchema(Webhook),
    example: { items: [WEBHOOK_EXAMPLE], nextCursor: null },
  },
});

export const createWebhookEndpointEndpoint = endpoint({
  name: 'createWebhook',
  method: 'POST',
  path: 'webhooks',
  access: 'application_administrator',
  summary: 'Create a webhook endpoint',
  description:
    'It gets events from now on. An application has at most 16 endpoints: 409 beyond that. Public addresses require https. Use the test event to check that the endpoint is reachable.',
  body: Type.Object({ url, ...optional }, { additionalProperties: false }),
  recorded: ['kinds', 'channels'],
  bodyExample: {
    url: WEBHOOK_EXAMPLE.url,
    description: 'Order service',
    kinds: ['message.failed', 'campaign.completed'],
    channels: ['EMAIL'],
  },
  answer: {
    status: 201,
    description: 'The endpoint, with its secret.',
    schema: WebhookWithSecret,
    example: { ...WEBHOOK_EXAMPLE, secret: SECRET_EXAMPLE },
  },
  errorStatuses: [409],
});

export const changeWebhookEndpointEndpoint = endpoint({
  name: 'changeWebhook',
  ...webhook,
  method: 'PATCH',
  path: 'webhooks/:webhookId',
  summary: 'Change a webhook endpoint',
  description:
    'Absent fields stay unchanged. Disabling an endpoint ends its waiting deliveries with endpoint_disabled; replay them after enabling it again.',
  body: Type.Object(
    { url: Type.Optional(url), ...optional, enabled: Type.Optional(Type.Boolean()) },
    { additionalProperties: false },
  ),
  recorded: ['kinds', 'channels', 'enabled'],
  bodyExample: { enabled: true },
  answer: { status: 200, description: 'The endpoint.', schema: Webhook, example: WEBHOOK_EXAMPLE },
  errorStatuses: [404],
});

export const deleteWebhookEndpointEndpoint = endpoint({
  name: 'deleteWebhook',
  ...webhook,
  method: 'DELETE',
  path: 'webhooks/:webhookId',
  summary: 'Delete a webhook endpoint with its waiting deliveries',
  answer: { status: 204, description: 'Deleted.' },
  errorStatuses: [404],
});

export const rotateWebhookSecretEndpoint = endpoint({
  name: 'rotateWebhookSecret',
  ...webhook,
  method: 'POST',
  path: 'webhooks/:webhookId/rotate-secret',
  summary: 'Rotate the secret of a webhook endpoint',
  description:
    'For 24 hours requests are signed with the previous secret too. Older secrets are dropped.',
  answer: {
    status: 200,
    description: 'The endpoint, with its new secret.',
    schema: WebhookWithSecret,
    example: { ...WEBHOOK_EXAMPLE, previousSecretUntil: 1_795_342_800_000, secret: SECRET_EXAMPLE },
  },
  errorStatuses: [404],
});

export const testWebhookEndpoint = endpoint({
  name: 'testWebhook',
  ...webhook,
  method: 'POST',
  path: 'webhooks/:webhookId/test',
  summary: 'Send a test event (webhook.ping) and wait for the result',
  description:
    'One attempt without retries. `status` is `pending` when it took too long. 409 while the endpoint is disabled.',
  answer: {
    status: 200,
    description: 'The result.',
    schema: WebhookTest,
    example: {
      ok: true,
      deliveryId: WEBHOOK_DELIVERY_EXAMPLE.id,
      eventId: WEBHOOK_DELIVERY_EXAMPLE.eventId,
      status: 'succeeded',
      statusCode: 204,
      durationMs: 38,
    },
  },
  errorStatuses: [404, 409],
});

export const listWebhookDeliveriesEndpoint = endpoint({
  name: 'listWebhookDeliveries',
  ...webhook,
  method: 'GET',
  path: 'webhooks/:webhookId/deliveries',
  summary: 'List deliveries to a webhook endpoint of the last 30 days, newest first',
  query: Type.Object({ status: Type.Optional(oneOf(WEBHOOK_DELIVERY_STATES)), ...pageQuery }),
  answer: {
    status: 200,
    description: 'A page of the log.',
    schema: pageSchema(WebhookDelivery),
    example: { items: [WEBHOOK_DELIVERY_EXAMPLE], nextCursor: null },
  },
  errorStatuses: [404],
});

export const replayWebhookDeliveryEndpoint = endpoint({
  name: 'replayWebhookDelivery',
  access: 'application_administrator',
  parameters: { webhookId: Uuid, deliveryId: Uuid },
  method: 'POST',
  path: 'webhooks/:webhookId/deliveries/:deliveryId/replay',
  summary: 'Replay a webhook delivery with the same event id',
  description:
    'Creates a new delivery with its own attempts. 409 while the original is pending, or the endpoint is disabled.',
  answer: {
    status: 200,
    description: 'The new delivery.',
    schema: WebhookDelivery,
    example: {
      ...WEBHOOK_DELIVERY_EXAMPLE,
      id: '01a1fda0-b222-7000-8000-000000000012',
      attempts: 0,
      attemptLog: [],
      lastAnswer: null,
      replayOf: WEBHOOK_DELIVERY_EXAMPLE.id,
    },
  },
  errorStatuses: [404, 409],
});
