import { ERROR_CODES, type ErrorCode } from '@tidings/contracts/errors/error-codes';
import { MESSAGE_OUTCOMES, MESSAGE_TYPES, RECEIPT_REASONS } from '@tidings/contracts/ingest/ingest';
import { Type, type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import {
  Count,
  CustomUserId,
  FieldErrorSchema,
  Instant,
  Text,
  Uuid,
  boundedPageSchema,
  oneOf,
  pageQuery,
} from '../schemas.ts';

const ERRORS = Object.keys(ERROR_CODES) as ErrorCode[];

const message = {
  index: Count,
  id: Type.String(),
  type: oneOf(MESSAGE_TYPES),
  outcome: oneOf(MESSAGE_OUTCOMES),
  reason: Type.Optional(oneOf(RECEIPT_REASONS)),
};
const Report = Type.Object({
  requestId: Uuid,
  receivedAt: Instant,
  complete: Type.Boolean(),
  messages: Type.Array(Type.Object(message)),
});

const LoggedMessage = Type.Object({ requestId: Uuid, receivedAt: Instant, ...message });
const LoggedRejection = Type.Object({
  requestId: Uuid,
  receivedAt: Instant,
  outcome: Type.Unsafe<'rejected'>({ const: 'rejected' }),
  status: Type.Integer({
    description: 'Status of the response; 200 when only some messages were rejected.',
  }),
  code: oneOf(ERRORS),
  path: Type.String(),
  errors: Type.Array(FieldErrorSchema),
  address: Type.Optional(
    Type.String({ description: 'The caller’s IP address, if it was the reason.' }),
  ),
  unlisted: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        'Further rejected requests since the previous entry that have no entry of their own.',
    }),
  ),
  customUserId: Type.Optional(
    Type.String({ description: 'The customUserId of the envelope, if it could be read.' }),
  ),
});

const LogEntry = Type.Unsafe<Static<typeof LoggedMessage> | Static<typeof LoggedRejection>>({
  anyOf: [LoggedMessage, LoggedRejection],
});

const requestId = '01a1fda0-7f01-73ac-9ab1-82b6d3569097';
const receivedAt = 1_795_256_516_534;

export const listIngestEndpoint = endpoint({
  name: 'listIngest',
  method: 'GET',
  path: 'ingest',
  access: 'reader',
  summary: 'List the ingest log, newest first: messages and rejected requests',
  description: [
    'Each page scans a bounded number of rows: with a filter it may have fewer items than `limit`, or none, and still a `nextCursor`. `lookedBackTo` then says how far back it searched.',
    '',
    '`messageId` returns one page: the stored message of any age, and recent ones with the same id that were not stored.',
    '',
    '`customUserId` returns:',
    '',
    '- the events of the user, and every message of the user with a reason;',
    '- `user` messages that came in the same request as one of these, or that set a current profile field;',
    '- rejected requests that named the customUserId or, without one, a serviceUserId of the user.',
    '',
    'It does not return requests that were rejected before their envelope was read, nor messages that named a yet unknown user together with a malformed serviceUserId.',
  ].join('\n'),
  query: Type.Object({
    ...pageQuery,
    outcome: Type.Optional(oneOf([...MESSAGE_OUTCOMES, 'rejected'])),
    reason: Type.Optional(oneOf([...RECEIPT_REASONS, ...ERRORS])),
    requestId: Type.Optional(Uuid),
    messageId: Type.Optional(Text),
    customUserId: Type.Optional(CustomUserId),
  }),
  answer: {
    status: 200,
    description: 'A page of the log.',
    schema: boundedPageSchema(LogEntry),
    example: {
      items: [
        {
          requestId,
          receivedAt,
          index: 1,
          id: 'm2',
          type: 'action',
          outcome: 'dropped',
          reason: 'unknown_slug',
        },
        {
          requestId: '01a1fda0-7e00-7000-9ab1-82b6d3569096',
          receivedAt: receivedAt - 300,
          outcome: 'rejected',
          status: 400,
          code: 'validation_failed',
          path: '/',
          errors: [
            {
              pointer: '/messages/0/time',
              code: 'wrong_type',
              expected: 'integer',
              index: 0,
              messageId: 'm3',
            },
          ],
          customUserId: 'ada',
        },
      ],
      nextCursor: null,
    },
  },
});

export const readIngestEndpoint = endpoint({
  name: 'readIngest',
  method: 'GET',
  path: 'ingest/:requestId',
  access: 'reader',
  summary: 'Read the outcome of each message of an accepted request',
  description: '404 for a rejected request: `GET ingest?requestId=…` gives the reason.',
  parameters: { requestId: Uuid },
  answer: {
    status: 200,
    description: 'The outcomes. `complete` is true once all are known.',
    schema: Report,
    example: {
      requestId,
      receivedAt,
      complete: true,
      messages: [{ index: 0, id: 'm1', type: 'user', outcome: 'processed' }],
    },
  },
  errorStatuses: [404],
});

export const readMessageEndpoint = endpoint({
  name: 'readIngestMessage',
  method: 'GET',
  path: 'ingest/:requestId/messages/:index',
  access: 'reader',
  summary: 'Read one message of an accepted request, as stored',
  description: [
    '`stored` is the message as read back from storage, since requests are not kept:',
    '',
    '- an event: complete, with its slug as `name`;',
    '- a `user` message: the profile fields that still have the value it set;',
    '- null: nothing is stored.',
    '',
    'A processed `user` message names its user only if another message of its request does. Otherwise pass the expected `customUserId`: the message is matched if it set a current field of that profile.',
    '`duplicateOf` is the message that used the id first.',
  ].join('\n'),
  parameters: {
    requestId: Uuid,
    index: Type.String({
      pattern: '^\\d{1,4}$',
      description: 'Index of the message in its request, from 0.',
    }),
  },
  query: Type.Object({ customUserId: Type.Optional(CustomUserId) }),
  answer: {
    status: 200,
    description: 'The message.',
    schema: Type.Object(
      {
        requestId: Uuid,
        receivedAt: Instant,
        ...message,
        customUserId: Type.Optional(CustomUserId),
        stored: Type.Unsafe<Readonly<Record<string, unknown>> | null>({ type: ['object', 'null'] }),
        duplicateOf: Type.Optional(Type.Object({ requestId: Uuid, index: Count })),
      },
      { title: 'MessageDetail' },
    ),
    example: {
      requestId,
      receivedAt,
      index: 1,
      id: 'm2',
      type: 'action',
      outcome: 'processed',
      customUserId: 'ada',
      stored: {
        type: 'action',
        id: 'm2',
        time: 1_760_000_000_001,
        name: 'qwert',
        attributes: { price: 9.9 },
      },
    },
  },
  errorStatuses: [404],
});
