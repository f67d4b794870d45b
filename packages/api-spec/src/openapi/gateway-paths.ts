import { IngestAcceptedSchema, IngestBody, PushAnswerSchema, PushBody } from './gateway-schemas.ts';
import { PAGE_HEADERS, PREFLIGHT_HEADERS, RATE_HEADERS, headerReferences } from './headers.ts';
import { contentOf, type Json } from './operation.ts';
import {
  IDEMPOTENCY_KEY,
  PUSH_ANSWERS,
  PUSH_ANSWER_EXAMPLE,
  PUSH_ANSWER_HEADERS,
  PUSH_EXAMPLE,
  PUSH_RULES,
} from './pushing.ts';
import { refusalAnswers, type Refusing } from './refusals.ts';

const requestId = '01a1fda0-7f01-73ac-9ab1-82b6d3569097';
const REFUSALS = [400, 403, 413, 415, 429, 500, 503];
const PUSH_REFUSALS = [400, 403, 409, 413, 415, 429, 500, 503];

const AT_INGEST = {
  prefix: 'Ingest',
  headers: [...RATE_HEADERS, ...PAGE_HEADERS],
} as const satisfies Refusing;
const AT_PUSH = { prefix: 'Push', headers: RATE_HEADERS } as const satisfies Refusing;

/** The refusals that the addresses below refer to. */
export const GATEWAY_REFUSALS = [
  { ...AT_INGEST, statuses: REFUSALS },
  { ...AT_PUSH, statuses: PUSH_REFUSALS },
];

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

const ingest: Json = {
  tags: ['ingest'],
  summary: 'Submits messages; 200 means that they are durable',
  description:
    'A Client key may send `action`, `revenue` and `user` messages. A batch is atomic, unless the caller prefers `handling=lenient`.',
  security: [{ applicationId: [], apiKey: [] }],
  parameters: [
    {
      name: 'Prefer',
      in: 'header',
      schema: { type: 'string' },
      example: 'handling=lenient',
      description: '`handling=lenient` leaves out the messages with faults and accepts the others.',
    },
  ],
  requestBody: {
    required: true,
    content: { 'application/json': contentOf(IngestBody, INGEST_EXAMPLE) },
  },
  responses: {
    200: {
      description: 'The batch is on all in-sync replicas.',
      headers: headerReferences([...AT_INGEST.headers, 'Preference-Applied']),
      content: {
        'application/json': contentOf(IngestAcceptedSchema, {
          requestId,
          status: 'accepted',
          received: 4,
          accepted: 4,
          warnings: [],
        }),
      },
    },
    ...refusalAnswers(REFUSALS, AT_INGEST),
  },
};

const push: Json = {
  tags: ['push'],
  summary: 'Sends a message to users; 200 means that the campaign is durable',
  description: `With a Server key. ${PUSH_RULES}`,
  security: [{ applicationId: [], apiKey: [] }],
  parameters: [IDEMPOTENCY_KEY],
  requestBody: {
    required: true,
    content: { 'application/json': contentOf(PushBody, PUSH_EXAMPLE) },
  },
  responses: {
    200: {
      description: PUSH_ANSWERS,
      headers: headerReferences([...AT_PUSH.headers, ...PUSH_ANSWER_HEADERS]),
      content: { 'application/json': contentOf(PushAnswerSchema, PUSH_ANSWER_EXAMPLE) },
    },
    ...refusalAnswers(PUSH_REFUSALS, AT_PUSH),
  },
};

const preflight: Json = {
  tags: ['ingest'],
  summary: 'Answers a browser that asks whether a page may call: any may',
  description: 'The origins that a Client key is for are looked at on the call itself.',
  security: [],
  responses: {
    204: { description: 'It may.', headers: headerReferences(PREFLIGHT_HEADERS) },
    ...refusalAnswers([500]),
  },
};

/** The addresses of the gateway; the second of each is another name of the first. */
export const GATEWAY_PATHS: Json = {
  '/': {
    post: { operationId: 'submitMessages', ...ingest },
    options: { operationId: 'askToSubmit', ...preflight },
  },
  '/v1': {
    post: { operationId: 'submitMessagesV1', ...ingest },
    options: { operationId: 'askToSubmitV1', ...preflight },
  },
  '/push': { post: { operationId: 'send', ...push } },
  '/v1/push': { post: { operationId: 'sendV1', ...push } },
};
