import {
  ClientConfigAnswer,
  DeviceAnswer,
  DeviceRegistration,
  Identification,
  INBOX_CHANNELS,
  InboxMessages,
  LIMITS,
  LogOut,
  MessageReceipts,
  ReceiptResults,
} from '@tidings/contracts';
import { PAGE_HEADERS, PREFLIGHT_HEADERS, RATE_HEADERS, headerReferences } from './headers.ts';
import { contentOf, type Json } from './operation.ts';
import { refusalAnswers, type Refusing } from './refusals.ts';

const AT_SDK = {
  prefix: 'Sdk',
  headers: [...RATE_HEADERS, ...PAGE_HEADERS],
} as const satisfies Refusing;
const OF_ALL = [403, 429, 500, 503];
const WITH_BODY = [400, ...OF_ALL, 413, 415];

/** The refusals that the addresses below refer to. */
export const CLIENT_REFUSALS = [{ ...AT_SDK, statuses: [...WITH_BODY, 404] }];

const deviceId = '0b9a2f6e-8f8b-4d7c-9c55-1f0a52a3c0d1';
const ANSWER_EXAMPLE = { serviceUserId: '3f2a9f6e-8f8b-4d7c-9c55-1f0a52a3c001', isProved: true };
const TOKEN_EXAMPLE =
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEiLCJleHAiOjE3OTUyNTk5OTl9.Vy0s7PpOZx3Wb4xXK2c3yqQkqZl1jJ5w9m0i1cRr1nE';

const operation = ({
  summary,
  description,
  parameters,
  body,
  answer,
  refusals,
}: {
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Json[];
  readonly body?: readonly [schema: object, example: unknown];
  readonly answer: readonly [
    status: 200 | 204,
    description: string,
    schema?: object,
    example?: unknown,
  ];
  readonly refusals: readonly number[];
}): Json => {
  const [status, what, schema, example] = answer;
  return {
    tags: ['sdk'],
    summary,
    ...(description !== undefined && { description }),
    security: [{ applicationId: [], apiKey: [] }],
    ...(parameters !== undefined && { parameters }),
    ...(body !== undefined && {
      requestBody: { required: true, content: { 'application/json': contentOf(...body) } },
    }),
    responses: {
      [status]: {
        description: what,
        headers: headerReferences(AT_SDK.headers),
        ...(schema !== undefined && {
          content: { 'application/json': contentOf(schema, example) },
        }),
      },
      ...refusalAnswers(refusals, AT_SDK),
    },
  };
};

const preflight = (operationId: string, parameters: readonly Json[] = []): Json => ({
  operationId,
  tags: ['sdk'],
  summary: 'Answers a browser that asks whether a page may call: any may',
  security: [],
  ...(parameters.length > 0 && { parameters }),
  responses: {
    204: { description: 'It may.', headers: headerReferences(PREFLIGHT_HEADERS) },
    ...refusalAnswers([500]),
  },
});

const DEVICE_ID = {
  name: 'deviceId',
  in: 'path',
  required: true,
  schema: { type: 'string', minLength: 1, maxLength: LIMITS.deviceIdCharsMax },
};
const OF_DEVICE = {
  name: 'deviceId',
  in: 'query',
  required: true,
  schema: { type: 'string', minLength: 1, maxLength: LIMITS.deviceIdCharsMax },
};
const OF_CHANNEL = {
  name: 'channel',
  in: 'query',
  description: 'Only messages of this channel.',
  schema: { type: 'string', enum: [...INBOX_CHANNELS] },
};
const LAST_EVENT = {
  name: 'Last-Event-ID',
  in: 'header',
  description:
    'The id of the last event that came by a stream before: what that stream has lost since comes at once.',
  schema: { type: 'string' },
};
const WAIT = {
  name: 'wait',
  in: 'query',
  description: 'Seconds to wait for a message, if less than 25.',
  schema: { type: 'integer', minimum: 0, maximum: 25 },
};
const LIMIT = {
  name: 'limit',
  in: 'query',
  description:
    'So many messages at most; a stream ends with the first that come. Who shows one message at a time asks for 1, so that none waits beyond its 30 s.',
  schema: { type: 'integer', minimum: 1, maximum: 10 },
};
const FETCHING = [400, ...OF_ALL, 404];
const deliveryId = '01a1fda0-84f0-7c11-9e0b-2f4e54a1d001';
const MESSAGE_EXAMPLE = {
  deliveryId,
  campaignId: '01a1fda0-84a5-72c8-802b-8cdeabd134bc',
  channel: 'ON_SITE',
  expiresAt: 1_797_848_516_534,
  message: {
    title: 'Welcome back',
    body: '<p>Your basket is still here.</p>',
    alignment: 'BOTTOM',
  },
};
const ANSWER = [
  200,
  'The id that the device’s own messages are to carry, and whether the device proved its user.',
  DeviceAnswer,
  ANSWER_EXAMPLE,
] as const;

/** What devices call with a Client key. */
export const CLIENT_PATHS: Json = {
  '/sdk/v1/config': {
    get: {
      operationId: 'readClientConfig',
      ...operation({
        summary: 'What a device has to know before it does anything',
        answer: [
          200,
          'The configuration.',
          ClientConfigAnswer,
          {
            applicationId: '01a1fd9f-1111-7000-8000-000000000001',
            serverTime: 1_795_256_516_534,
            userTokens: 'required',
            vapidPublicKey: null,
            limits: { bodyBytesMax: LIMITS.sdkBodyBytesMax },
          },
        ],
        refusals: OF_ALL,
      }),
    },
    options: preflight('askToReadClientConfig'),
  },
  '/sdk/v1/devices': {
    post: {
      operationId: 'registerDevice',
      ...operation({
        summary: 'Registers a device, or what changed of one',
        description:
          'A device that nobody has seen is an anonymous user’s. With a user token (or a bare customUserId, where the application takes that) it is that user’s. An address (subscription or token) that another device has moves to this one. ' +
          'A time zone or language that is absent stays as it is; null removes it. What cannot set headers may send `{"applicationId","apiKey","body"}` as text/plain, here and at every POST below.',
        body: [
          DeviceRegistration,
          { deviceId, kind: 'none', timeZone: 'Europe/Berlin', locale: 'de-DE' },
        ],
        answer: ANSWER,
        refusals: WITH_BODY,
      }),
    },
    options: preflight('askToRegisterDevice'),
  },
  '/sdk/v1/devices/{deviceId}': {
    delete: {
      operationId: 'deleteDevice',
      ...operation({
        summary: 'Forgets a device',
        parameters: [DEVICE_ID],
        answer: [204, 'Nothing is sent to it any more.'],
        refusals: [...OF_ALL, 404],
      }),
    },
    options: preflight('askToDeleteDevice', [DEVICE_ID]),
  },
  '/sdk/v1/identify': {
    post: {
      operationId: 'identifyDevice',
      ...operation({
        summary: 'Says, and proves, who uses a device',
        description:
          'What its anonymous user did becomes that user’s. A device that was another user’s becomes this one’s and takes nothing along.',
        body: [Identification, { deviceId, userToken: TOKEN_EXAMPLE }],
        answer: ANSWER,
        refusals: [...WITH_BODY, 404],
      }),
    },
    options: preflight('askToIdentifyDevice'),
  },
  '/sdk/v1/messages': {
    get: {
      operationId: 'fetchMessages',
      ...operation({
        summary: 'The IN_APP and ON_SITE messages that wait for the device’s user',
        description:
          'Answered as soon as there is one, else after 25 s with none. A message goes to the first device that asks, for 30 s; one of which no receipt comes by then is offered again, to whichever device asks. One that is `received` or `displayed` is not. ' +
          'The body is the caller’s HTML, unchanged: show it where its scripts can do no harm.',
        parameters: [OF_DEVICE, OF_CHANNEL, LIMIT, WAIT],
        answer: [200, 'What waits.', InboxMessages, { messages: [MESSAGE_EXAMPLE] }],
        refusals: FETCHING,
      }),
    },
    options: preflight('askToFetchMessages'),
  },
  '/sdk/v1/messages/stream': {
    get: {
      operationId: 'streamMessages',
      tags: ['sdk'],
      summary:
        'The same as server-sent events, one for each message, for as long as the connection lives',
      description:
        'To be read by fetch, since the key travels in headers. `event: message` has in its data what an element of `messages` is above. A comment comes every 15 s at least. A stream ends after some minutes: open it again with Last-Event-ID.',
      security: [{ applicationId: [], apiKey: [] }],
      parameters: [OF_DEVICE, OF_CHANNEL, LIMIT, LAST_EVENT],
      responses: {
        200: {
          description: 'The stream.',
          headers: headerReferences(AT_SDK.headers),
          content: {
            'text/event-stream': contentOf(
              { type: 'string' },
              `id: 7f8b4d7c-9c55-4f0a-92a3-c0d1e2f30415.42\nevent: message\ndata: ${JSON.stringify(MESSAGE_EXAMPLE)}\n\n`,
            ),
          },
        },
        ...refusalAnswers(FETCHING, AT_SDK),
      },
    },
    options: preflight('askToStreamMessages'),
  },
  '/sdk/v1/receipts': {
    post: {
      operationId: 'noteReceipts',
      ...operation({
        summary:
          'What became of messages on a device: IN_APP, ON_SITE and web push, of its own user',
        description:
          'Said again it changes nothing. A message counts as displayed when it was `displayed`, `clicked` or `dismissed`; of IN_APP and ON_SITE `received` says that it arrived and is to be offered to no other device.',
        body: [
          MessageReceipts,
          {
            deviceId,
            receipts: [{ deliveryId, event: 'clicked', buttonIndex: 0, at: 1_795_256_516_534 }],
          },
        ],
        answer: [
          200,
          'One result for each receipt, in their order.',
          ReceiptResults,
          { results: [{ deliveryId, event: 'clicked', status: 'noted' }] },
        ],
        refusals: [...WITH_BODY, 404],
      }),
    },
    options: preflight('askToNoteReceipts'),
  },
  '/sdk/v1/logout': {
    post: {
      operationId: 'logOutDevice',
      ...operation({
        summary: 'Makes a device a fresh anonymous user’s',
        body: [LogOut, { deviceId }],
        answer: ANSWER,
        refusals: [...WITH_BODY, 404],
      }),
    },
    options: preflight('askToLogOutDevice'),
  },
};
