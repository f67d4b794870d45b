import { SUPPRESSION_REASONS } from '@tidings/contracts/channels/suppression-reasons';
import { SUPPRESSIBLE_CHANNELS } from '@tidings/contracts/channels/suppressions';
import { STORABLE } from '@tidings/contracts/storable-text';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { Instant, Uuid, oneOf, pageQuery, pageSchema } from '../schemas.ts';

const ADDRESS_CHARS_MAX = 320;

const channel = oneOf(SUPPRESSIBLE_CHANNELS);
const reason = oneOf(SUPPRESSION_REASONS);

const Suppression = Type.Object(
  {
    id: Uuid,
    channel,
    address: Type.String({
      description:
        'A phone number in E.164, or an e-mail address in lower case, its domain in ASCII form.',
    }),
    reason,
    createdAt: Instant,
  },
  { title: 'Suppression' },
);

const SUPPRESSION_EXAMPLE = {
  id: '01a1fda0-c111-7000-8000-000000000021',
  channel: 'EMAIL',
  address: 'ada@example.org',
  reason: 'suppressed_complaint',
  createdAt: 1_795_256_400_000,
};

export const listSuppressionsEndpoint = endpoint({
  name: 'listSuppressions',
  method: 'GET',
  path: 'suppressions',
  access: 'application_administrator',
  summary: 'List suppressed addresses, newest first',
  query: Type.Object({
    channel: Type.Optional(channel),
    address: Type.Optional(
      Type.String({
        pattern: STORABLE,
        description:
          'An e-mail address in any spelling of its mailbox, or a phone number in E.164.',
      }),
    ),
    ...pageQuery,
  }),
  answer: {
    status: 200,
    description: 'A page of suppressions.',
    schema: pageSchema(Suppression),
    example: { items: [SUPPRESSION_EXAMPLE], nextCursor: null },
  },
});

export const createSuppressionEndpoint = endpoint({
  name: 'createSuppression',
  method: 'POST',
  path: 'suppressions',
  access: 'application_administrator',
  summary: 'Suppress an address',
  description:
    'Nothing is sent to a suppressed address; `unsubscribed` blocks marketing only. A phone number without country code uses the application’s default country. An existing suppression of the same number or mailbox, in any spelling, is returned unchanged.',
  body: Type.Object(
    {
      channel,
      address: Type.String({
        minLength: 1,
        maxLength: ADDRESS_CHARS_MAX,
        pattern: STORABLE,
        description: 'a phone number or an e-mail address',
      }),
      reason,
    },
    { additionalProperties: false },
  ),
  recorded: ['channel', 'reason'],
  bodyExample: { channel: 'EMAIL', address: 'Ada@Example.org', reason: 'suppressed_complaint' },
  answer: {
    status: 201,
    description: 'The suppression.',
    schema: Suppression,
    example: SUPPRESSION_EXAMPLE,
  },
});

export const deleteSuppressionEndpoint = endpoint({
  name: 'deleteSuppression',
  method: 'DELETE',
  path: 'suppressions/:suppressionId',
  access: 'application_administrator',
  parameters: { suppressionId: Uuid },
  summary: 'Remove a suppression',
  description:
    'Suppressions of the same address for other reasons stay. A person who replied STOP also stays blocked at the SMS provider until START.',
  answer: { status: 204, description: 'Removed.' },
  errorStatuses: [404],
});
