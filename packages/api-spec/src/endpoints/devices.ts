import {
  ClientConfigAnswer,
  DeviceAnswer,
  DeviceId,
  DeviceRegistration,
  Identification,
  INBOX_CHANNELS,
  InboxMessages,
  LIMITS,
  LogOut,
  MessageReceipts,
  ReceiptResults,
} from '@tidings/contracts';
import { Type } from 'typebox';
import { keyEndpoint } from '../endpoint.ts';
import { oneOf } from '../schemas.ts';

/** Of one device at a time: it asks again for more. */
export const INBOX_MESSAGES_MAX = 10;
/** Below the 30 s after which many proxies give up. */
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

/** Of the three calls that settle who uses a device. */
const answer = {
  status: 200,
  description:
    'The id that the device’s own messages are to carry, and whether the device proved its user.',
  schema: DeviceAnswer,
  example: { serviceUserId: '3f2a9f6e-8f8b-4d7c-9c55-1f0a52a3c001', isProved: true },
} as const;

/** What a device asks for messages by. */
const question = {
  deviceId: DeviceId,
  channel: Type.Optional(
    Type.Unsafe<(typeof INBOX_CHANNELS)[number]>({
      ...oneOf(INBOX_CHANNELS),
      description: 'Only messages of this channel.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: INBOX_MESSAGES_MAX,
      description:
        'So many messages at most; a stream ends with the first that come. Who shows one message at a time asks for 1, so that none waits beyond its 30 s.',
    }),
  ),
};

export const readClientConfigEndpoint = keyEndpoint({
  name: 'readClientConfig',
  method: 'GET',
  path: '/sdk/v1/config',
  part: 'sdk',
  summary: 'What a device has to know before it does anything',
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
  summary: 'Registers a device, or what changed of one',
  description:
    'A device that nobody has seen is an anonymous user’s. With a user token (or a bare customUserId, where the application takes that) it is that user’s. An address (subscription or token) that another device has moves to this one. ' +
    'A time zone or language that is absent stays as it is; null removes it. What cannot set headers may send `{"applicationId","apiKey","body"}` as text/plain, here and at every POST below.',
  body: DeviceRegistration,
  bodyExample: { deviceId, kind: 'none', timeZone: 'Europe/Berlin', locale: 'de-DE' },
  answer,
});

export const deleteDeviceEndpoint = keyEndpoint({
  name: 'deleteDevice',
  method: 'DELETE',
  path: '/sdk/v1/devices/:deviceId',
  part: 'sdk',
  summary: 'Forgets a device',
  parameters: { deviceId: DeviceId },
  answer: { status: 204, description: 'Nothing is sent to it any more.' },
  errorStatuses: [404],
});

export const identifyDeviceEndpoint = keyEndpoint({
  name: 'identifyDevice',
  method: 'POST',
  path: '/sdk/v1/identify',
  part: 'sdk',
  summary: 'Says, and proves, who uses a device',
  description:
    'What its anonymous user did becomes that user’s. A device that was another user’s becomes this one’s and takes nothing along.',
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
  summary: 'The IN_APP and ON_SITE messages that wait for the device’s user',
  description:
    'Answered as soon as there is one, else after 25 s with none. A message goes to the first device that asks, for 30 s; one of which no receipt comes by then is offered again, to whichever device asks. One that is `received` or `displayed` is not. ' +
    'The body is the caller’s HTML, unchanged: show it where its scripts can do no harm.',
  query: Type.Object({
    ...question,
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: INBOX_WAIT_SECONDS_MAX,
        description: `Seconds to wait for a message, if less than ${INBOX_WAIT_SECONDS_MAX}.`,
      }),
    ),
  }),
  answer: {
    status: 200,
    description: 'What waits.',
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
  summary:
    'The same as server-sent events, one for each message, for as long as the connection lives',
  description:
    'To be read by fetch, since the key travels in headers. `event: message` has in its data what an element of `messages` is above. A comment comes every 15 s at least. A stream ends after some minutes: open it again with Last-Event-ID.',
  query: Type.Object(question),
  headers: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      description:
        'The id of the last event that came by a stream before: what that stream has lost since comes at once.',
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
  summary: 'What became of messages on a device: IN_APP, ON_SITE and web push, of its own user',
  description:
    'Said again it changes nothing. A message counts as displayed when it was `displayed`, `clicked` or `dismissed`; of IN_APP and ON_SITE `received` says that it arrived and is to be offered to no other device.',
  body: MessageReceipts,
  bodyExample: {
    deviceId,
    receipts: [{ deliveryId, event: 'clicked', buttonIndex: 0, at: 1_795_256_516_534 }],
  },
  answer: {
    status: 200,
    description: 'One result for each receipt, in their order.',
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
  summary: 'Makes a device a fresh anonymous user’s',
  body: LogOut,
  bodyExample: { deviceId },
  answer,
  errorStatuses: [404],
});

/** What devices call with a Client key. */
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
