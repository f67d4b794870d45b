import { IngestEnvelope } from '@tidings/contracts/ingest/ingest';
import { PushRequest } from '@tidings/contracts/push/push';
import { keyEndpoint } from '../endpoint.ts';
import { IngestAcceptedSchema, PushAnswerSchema } from '../gateway-answers.ts';
import {
  IDEMPOTENCY_KEY,
  PUSH_ANSWERS,
  PUSH_ANSWER_EXAMPLE,
  PUSH_ANSWER_HEADERS,
  PUSH_EXAMPLE,
  PUSH_EXAMPLES,
  PUSH_RULES,
} from '../push-shared.ts';

const INGEST_EXAMPLE = {
  customUserId: 'ada',
  serviceUserId: '3f2a9f6e-8f8b-4d7c-9c55-1f0a52a3c001',
  messages: [
    {
      type: 'user',
      id: 'm1',
      time: 1_760_000_000_000,
      email: 'ada@example.com',
      customAttributes: { plan: 'pro' },
    },
    {
      type: 'action',
      id: 'm2',
      time: 1_760_000_000_001,
      customName: 'item_viewed',
      attributes: { price: 9.9 },
    },
    {
      type: 'revenue',
      id: 'm3',
      time: 1_760_000_000_002,
      customName: 'order_paid',
      revenue: 12.5,
      currency: 'EUR',
    },
    { type: 'businessEvent', id: 'm4', time: 1_760_000_000_003, name: 'qwert' },
  ],
};

export const submitMessagesEndpoint = keyEndpoint({
  name: 'submitMessages',
  method: 'POST',
  path: '/',
  alias: '/v1',
  part: 'ingest',
  summary: 'Submit events and users',
  description:
    '200 means that Kafka, or Postgres where there is no Kafka, has stored the batch durably. A batch is atomic, unless you send `Prefer: handling=lenient`. Client keys may send `action`, `revenue` and `user` messages.',
  headers: [
    {
      name: 'Prefer',
      in: 'header',
      schema: { type: 'string' },
      example: 'handling=lenient',
      description: '`handling=lenient` rejects invalid messages one by one and accepts the others.',
    },
  ],
  body: IngestEnvelope,
  bodyExample: INGEST_EXAMPLE,
  answer: {
    status: 200,
    description:
      'Accepted: the batch is on all in-sync Kafka replicas, or in Postgres where there is no Kafka.',
    schema: IngestAcceptedSchema,
    example: {
      requestId: '01a1fda0-7f01-73ac-9ab1-82b6d3569097',
      status: 'accepted',
      received: 4,
      accepted: 4,
      warnings: [],
    },
    headers: ['Preference-Applied'],
  },
});

export const sendEndpoint = keyEndpoint({
  name: 'send',
  method: 'POST',
  path: '/push',
  alias: '/v1/push',
  part: 'push',
  summary: 'Send a message to users',
  description: `Requires a Server key. 200 means that the campaign is stored durably. ${PUSH_RULES}`,
  headers: [IDEMPOTENCY_KEY],
  body: PushRequest,
  bodyExample: PUSH_EXAMPLE,
  bodyExamples: PUSH_EXAMPLES,
  answer: {
    status: 200,
    description: PUSH_ANSWERS,
    schema: PushAnswerSchema,
    example: PUSH_ANSWER_EXAMPLE,
    headers: PUSH_ANSWER_HEADERS,
  },
  errorStatuses: [409],
});

/** Endpoints that back ends call with a Server key, and browsers with a Client key. */
export const GATEWAY_ENDPOINTS = [submitMessagesEndpoint, sendEndpoint] as const;
