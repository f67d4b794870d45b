import { WEBHOOK_DELIVERY_STATES } from '@tidings/contracts';
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
  summary: 'The webhook endpoints of an application, oldest first',
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
  summary: 'Makes a webhook endpoint, which is told of everything from now on',
  description:
    'At most 16 per application; 409 when there are as many. A public address is reached over https only; the test event tells whether it can be.',
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
    description: 'The endpoint with its secret.',
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
  summary: 'Changes a webhook endpoint; what is not named stays',
  description:
    'What waits for an endpoint that is switched off ends, endpoint_disabled, and can be replayed once it is enabled.',
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
  summary: 'Ends a webhook endpoint and all that waits for it',
  answer: { status: 204, description: 'It is gone.' },
  errorStatuses: [404],
});

export const rotateWebhookSecretEndpoint = endpoint({
  name: 'rotateWebhookSecret',
  ...webhook,
  method: 'POST',
  path: 'webhooks/:webhookId/rotate-secret',
  summary: 'Gives a webhook endpoint a new secret',
  description: 'The one before signs too for 24 hours; one older than that no more.',
  answer: {
    status: 200,
    description: 'The endpoint with its new secret.',
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
  summary: 'Sends one webhook.ping, once, and waits for what comes of it',
  description: 'Still pending when it took too long. 409 while the endpoint is disabled.',
  answer: {
    status: 200,
    description: 'What became of it.',
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
  summary: 'What was sent to a webhook endpoint in the last 30 days, newest first',
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
  summary: 'Sends an event once more, with the same id',
  description:
    'As an entry of its own, with attempts of its own. 409 while it is still on its way, or the endpoint is disabled.',
  answer: {
    status: 200,
    description: 'The new entry.',
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
