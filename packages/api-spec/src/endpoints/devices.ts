import { INBOX_CHANNELS } from '@tidings/contracts/channels/channels';
import {
  ClientConfigAnswer,
  DeviceAnswer,
  DeviceId,
  DeviceRegistration,
  Identification,
  InboxMessages,
  LogOut,
  MessageReceipts,
  ReceiptResults,
} from '@tidings/contracts/client-side';
import { LIMITS } from '@tidings/contracts/limits';
import { Type } from 'typebox';
import { keyEndpoint } from '../endpoint.ts';
import { oneOf } from '../schemas.ts';

/** Maximum messages per response. The device asks again for more. */
export const INBOX_MESSAGES_MAX = 10;
/** Shorter than the 30 s timeout of many proxies. */
export const INBOX_WAIT_SECONDS_MAX = 25;

const deviceId = '0b9a2f6e-8f8b-4d7c-9c55-1f0a52a3c0d1';
const deliveryId = '01a1fda0-84f0-7c11-9e0b-2f4e54a1d001';
const TOKEN_EXAMPLE =
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEiLCJleHAiOjE3OTUyNTk5OTl9.Vy0s7PpOZx3Wb4xXK2c3yqQkqZl1jJ5w9m0i1cRr1nE';
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

/** The response of the three calls that decide the user of a device. */
const answer = {
  status: 200,
  description:
    'The serviceUserId for messages that this device sends, and whether the device proved its user.',
  schema: DeviceAnswer,
  example: { serviceUserId: '3f2a9f6e-8f8b-4d7c-9c55-1f0a52a3c001', isProved: true },
} as const;

/** Query parameters of the two message endpoints. */
const question = {
  deviceId: DeviceId,
  channel: Type.Optional(
    Type.Unsafe<(typeof INBOX_CHANNELS)[number]>({
      ...oneOf(INBOX_CHANNELS),
      description: 'Only messages of this channel. Default: both.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: INBOX_MESSAGES_MAX,
      description:
        'Maximum messages. With a limit, a stream ends after the first messages. If you show one message at a time, use 1: others would exceed their 30 s lease.',
    }),
  ),
};

export const readClientConfigEndpoint = keyEndpoint({
  name: 'readClientConfig',
  method: 'GET',
  path: '/sdk/v1/config',
  part: 'sdk',
  summary: 'Read the client configuration',
  answer: {
    status: 200,
    description: 'The configuration.',
    schema: ClientConfigAnswer,
    example: {
      applicationId: '01a1fd9f-1111-7000-8000-000000000001',
      serverTime: 1_795_256_516_534,
      userTokens: 'required',
      vapidPublicKey: null,
      limits: { bodyBytesMax: LIMITS.sdkBodyBytesMax },
    },
  },
});

export const registerDeviceEndpoint = keyEndpoint({
  name: 'registerDevice',
  method: 'POST',
  path: '/sdk/v1/devices',
  part: 'sdk',
  summary: 'Register or update a device',
  description: [
    'A new device gets an anonymous user. With a user token it belongs to that user (or with a bare customUserId, if the application allows that).',
    'A push subscription or token that another device has moves to this one.',
    'An absent time zone or locale stays unchanged; `null` removes it.',
    'Callers that cannot set headers (`navigator.sendBeacon`) may send `{"applicationId","apiKey","body"}` as text/plain, here and to every POST below.',
  ].join(' '),
  body: DeviceRegistration,
  bodyExample: { deviceId, kind: 'none', timeZone: 'Europe/Berlin', locale: 'de-DE' },
  answer,
});

export const deleteDeviceEndpoint = keyEndpoint({
  name: 'deleteDevice',
  method: 'DELETE',
  path: '/sdk/v1/devices/:deviceId',
  part: 'sdk',
  summary: 'Delete a device',
  parameters: { deviceId: DeviceId },
  answer: { status: 204, description: 'Deleted. Nothing is sent to it any more.' },
  errorStatuses: [404],
});

export const identifyDeviceEndpoint = keyEndpoint({
  name: 'identifyDevice',
  method: 'POST',
  path: '/sdk/v1/identify',
  part: 'sdk',
  summary: 'Identify the user of a device with a user token',
  description:
    'Events of the device’s anonymous user move to the identified user. A device of another user changes hands without its history.',
  body: Identification,
  bodyExample: { deviceId, userToken: TOKEN_EXAMPLE },
  answer,
  errorStatuses: [404],
});

export const fetchMessagesEndpoint = keyEndpoint({
  name: 'fetchMessages',
  method: 'GET',
  path: '/sdk/v1/messages',
  part: 'sdk',
  summary: 'Fetch waiting IN_APP and ON_SITE messages (long poll)',
  description: [
    'Responds as soon as a message is available, or after 25 s with none.',
    'The first device that asks leases a message for 30 s. Without a `received` or `displayed` receipt by then, the next device that asks gets it.',
    'The body is unsanitized HTML of the sender: show it in a sandbox that runs no scripts.',
  ].join(' '),
  query: Type.Object({
    ...question,
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: INBOX_WAIT_SECONDS_MAX,
        description: `Maximum wait in seconds. Default: ${INBOX_WAIT_SECONDS_MAX}.`,
      }),
    ),
  }),
  answer: {
    status: 200,
    description: 'The messages; empty after the wait.',
    schema: InboxMessages,
    example: { messages: [MESSAGE_EXAMPLE] },
  },
  errorStatuses: [404],
});

export const streamMessagesEndpoint = keyEndpoint({
  name: 'streamMessages',
  method: 'GET',
  path: '/sdk/v1/messages/stream',
  part: 'sdk',
  summary: 'Stream waiting messages as server-sent events',
  description:
    'Read it with `fetch`, because the key is sent in headers. The data of each `event: message` is an element of `messages` of `GET /sdk/v1/messages`. A comment is sent at least every 15 s. A stream ends after 8 to 10 minutes: reconnect with Last-Event-ID.',
  query: Type.Object(question),
  headers: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      description:
        'The id of the last received event. Messages that the previous stream lost after it are sent at once.',
      schema: { type: 'string' },
    },
  ],
  answer: {
    status: 200,
    description: 'The stream.',
    texts: {
      'text/event-stream': `id: 7f8b4d7c-9c55-4f0a-92a3-c0d1e2f30415.42\nevent: message\ndata: ${JSON.stringify(MESSAGE_EXAMPLE)}\n\n`,
    },
  },
  errorStatuses: [404],
});

export const noteReceiptsEndpoint = keyEndpoint({
  name: 'noteReceipts',
  method: 'POST',
  path: '/sdk/v1/receipts',
  part: 'sdk',
  summary: 'Report what happened to messages on a device',
  description:
    'For IN_APP, ON_SITE and web push messages of the device’s user. Repeats change nothing. `displayed`, `clicked` and `dismissed` count as displayed. For IN_APP and ON_SITE, `received` confirms the lease: no other device gets the message.',
  body: MessageReceipts,
  bodyExample: {
    deviceId,
    receipts: [{ deliveryId, event: 'clicked', buttonIndex: 0, at: 1_795_256_516_534 }],
  },
  answer: {
    status: 200,
    description: 'One result per receipt, in the same order.',
    schema: ReceiptResults,
    example: { results: [{ deliveryId, event: 'clicked', status: 'noted' }] },
  },
  errorStatuses: [404],
});

export const logOutDeviceEndpoint = keyEndpoint({
  name: 'logOutDevice',
  method: 'POST',
  path: '/sdk/v1/logout',
  part: 'sdk',
  summary: 'Log out: give the device a new anonymous user',
  body: LogOut,
  bodyExample: { deviceId },
  answer,
  errorStatuses: [404],
});

/** Endpoints that devices call with a Client key. */
export const DEVICE_ENDPOINTS = [
  readClientConfigEndpoint,
  registerDeviceEndpoint,
  deleteDeviceEndpoint,
  identifyDeviceEndpoint,
  fetchMessagesEndpoint,
  streamMessagesEndpoint,
  noteReceiptsEndpoint,
  logOutDeviceEndpoint,
] as const;
