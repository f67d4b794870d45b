import {
  DEAD_LETTER_ERROR_CLASSES,
  DEAD_LETTER_STATUSES,
} from '@tidings/contracts/ingest/dead-letters';
import { TOPICS } from '@tidings/contracts/topics';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { Count, Instant, NullableString, Uuid, oneOf, pageQuery, pageSchema } from '../schemas.ts';

const FIELDS = {
  id: Uuid,
  consumer: Type.String({
    description: 'The consumer that set the record aside: `users` or `events`.',
  }),
  requestId: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'uuid',
    description: 'Null when the record has no request id header.',
  }),
  topic: Type.String(),
  partition: Count,
  offset: Type.Unsafe<number | bigint>(Count),
  errorClass: oneOf(DEAD_LETTER_ERROR_CLASSES),
  sqlState: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'SQLSTATE, where Postgres rejected the record.',
  }),
  status: oneOf(DEAD_LETTER_STATUSES),
  replays: Type.Integer({ minimum: 0, description: 'Number of replays.' }),
  createdAt: Instant,
  updatedAt: Instant,
  size: Type.Integer({
    minimum: 0,
    description: 'Size of the record in bytes; 0 once discarded.',
  }),
};
const DeadLetter = Type.Object(FIELDS, { title: 'DeadLetter' });
const DeadLetterDetail = Type.Object(
  {
    ...FIELDS,
    encoding: oneOf(['utf8', 'base64']),
    value: {
      ...NullableString,
      description: 'The record as text, or in base64 if it is not UTF-8; null once discarded.',
    },
  },
  { title: 'DeadLetterDetail' },
);

const DEAD_LETTER_EXAMPLE = {
  id: '01a1fda0-9c11-7000-8000-000000000007',
  consumer: 'events',
  requestId: '01a1fda0-7f01-73ac-9ab1-82b6d3569097',
  topic: TOPICS.ingest,
  partition: 3,
  offset: 18_204,
  errorClass: 'data',
  sqlState: '22P05',
  status: 'waiting',
  replays: 0,
  createdAt: 1_795_256_517_000,
  updatedAt: 1_795_256_517_000,
  size: 214,
};
const VALUE_EXAMPLE =
  '{"customUserId":"ada","messages":[{"type":"action","id":"m1","time":1760000000000,"customName":"viewed"}]}';

export const listDeadLettersEndpoint = endpoint({
  name: 'listDeadLetters',
  method: 'GET',
  path: 'dead-letters',
  access: 'application_administrator',
  summary: 'List dead letters, newest first',
  description:
    'Records that could not be stored and were set aside. Includes the application’s own; an installation administrator also sees records without an application header.',
  query: Type.Object({ status: Type.Optional(oneOf(DEAD_LETTER_STATUSES)), ...pageQuery }),
  answer: {
    status: 200,
    description: 'A page of dead letters.',
    schema: pageSchema(DeadLetter),
    example: { items: [DEAD_LETTER_EXAMPLE], nextCursor: null },
  },
});

export const readDeadLetterEndpoint = endpoint({
  name: 'readDeadLetter',
  method: 'GET',
  path: 'dead-letters/:deadLetterId',
  access: 'application_administrator',
  summary: 'Read a dead letter with its record',
  parameters: { deadLetterId: Uuid },
  answer: {
    status: 200,
    description: 'The dead letter.',
    schema: DeadLetterDetail,
    example: {
      ...DEAD_LETTER_EXAMPLE,
      size: VALUE_EXAMPLE.length,
      encoding: 'utf8',
      value: VALUE_EXAMPLE,
    },
  },
  errorStatuses: [404],
});

export const replayDeadLetterEndpoint = endpoint({
  name: 'replayDeadLetter',
  method: 'POST',
  path: 'dead-letters/:deadLetterId/replay',
  access: 'application_administrator',
  summary: 'Replay a dead letter',
  description:
    'Produces the record to its topic again, with its original key, value and headers. The consumer processes it once per request. If it fails again, the dead letter is `waiting` as before. 409 when it was already replayed or discarded. Retry after a 503.',
  parameters: { deadLetterId: Uuid },
  answer: {
    status: 200,
    description: 'The dead letter, now `replaying`.',
    schema: DeadLetter,
    example: { ...DEAD_LETTER_EXAMPLE, status: 'replaying' },
  },
  errorStatuses: [404, 409, 503],
});

export const discardDeadLetterEndpoint = endpoint({
  name: 'discardDeadLetter',
  method: 'POST',
  path: 'dead-letters/:deadLetterId/discard',
  access: 'application_administrator',
  summary: 'Discard a dead letter permanently',
  description:
    'Deletes key, value and headers; the entry stays in the list. 409 while it is being replayed, or when it was already replayed or discarded.',
  parameters: { deadLetterId: Uuid },
  answer: {
    status: 200,
    description: 'The dead letter, now `discarded`.',
    schema: DeadLetter,
    example: { ...DEAD_LETTER_EXAMPLE, status: 'discarded', size: 0 },
  },
  errorStatuses: [404, 409],
});
