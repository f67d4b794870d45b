import {
  ERROR_CODES,
  MESSAGE_OUTCOMES,
  MESSAGE_TYPES,
  RECEIPT_REASONS,
  type ErrorCode,
} from '@tidings/contracts';
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
  outcome: Type.Unsafe<'refused'>({ const: 'refused' }),
  status: Type.Integer({
    description: 'Of the answer; 200 where some messages were rejected and the others accepted.',
  }),
  code: oneOf(ERRORS),
  path: Type.String(),
  errors: Type.Array(FieldErrorSchema),
  address: Type.Optional(
    Type.String({ description: 'Where it came from, where that was the reason.' }),
  ),
  unlisted: Type.Optional(
    Type.Integer({ minimum: 1, description: 'So many more were refused since the entry before.' }),
  ),
  customUserId: Type.Optional(
    Type.String({ description: 'Whom its envelope named, where that could be read.' }),
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
  summary: 'The ingest log, newest first: each message of accepted requests, and refused requests',
  description:
    'A page costs a bounded look: with a filter it may have fewer items than the limit, or none, and still a nextCursor, and `lookedBackTo` then says how far it came. `messageId` finds the message that was stored, whenever that was, and those among the newest that were not, in one page. `customUserId` finds the events of a user, every message of which a reason is told, the `user` messages that came with one of these or have set what stands in the profile, and the refused requests that named it or, without a customUserId, a serviceUserId of the user; not requests that were refused before their envelope was read, nor messages that named somebody who was unknown until then beside a malformed serviceUserId.',
  query: Type.Object({
    ...pageQuery,
    outcome: Type.Optional(oneOf([...MESSAGE_OUTCOMES, 'refused'])),
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
          outcome: 'refused',
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
  summary: 'What became of each message of an accepted request',
  description: '404 for a request that was refused: `GET ingest?requestId=…` says why.',
  parameters: { requestId: Uuid },
  answer: {
    status: 200,
    description: 'The receipts; `complete` when every outcome is known.',
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
  summary: 'One message of an accepted request, with what is stored of it',
  description:
    '`stored` is the message as it can be read back: of an event all of it, its `name` being the slug; of a `user` message the fields that stand as it set them; null where nothing is stored. Requests themselves are not kept. A `user` message that was simply processed names nobody, unless another message of its request does: with the `customUserId` that it is taken to be of, it is told of this user if it has set what stands in the profile. `duplicateOf` is the message that had the id first.',
  parameters: {
    requestId: Uuid,
    index: Type.String({
      pattern: '^\\d{1,4}$',
      description: 'Of the message in its request, from 0 on.',
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
