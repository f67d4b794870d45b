import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { Instant, Text, Uuid, instantQuery, pageQuery, pageSchema } from '../schemas.ts';

const NullableUuid = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid' });

const AuditEntry = Type.Object(
  {
    id: Uuid,
    at: Instant,
    actor: Type.String({
      description:
        '`member:` and an e-mail address, `token:` and the name of an administrator token, or `key:` and the name of a Server key. `sign-in` of a failed sign-in, with the `memberId` of the account, if there is one.',
    }),
    memberId: Type.Optional(Uuid),
    tokenId: Type.Optional(Uuid),
    address: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The network address it came from.',
    }),
    applicationId: NullableUuid,
    action: Type.String({ description: 'The method and path of the interface, as `POST keys`.' }),
    target: Type.Unsafe<object>({
      type: 'object',
      description: 'Ids of what it was done to, or of what it made.',
      additionalProperties: { type: 'string' },
    }),
    detail: Type.Unsafe<object>({
      type: 'object',
      description:
        'What was sent: some fields with their values; of all others, secrets among them, the names alone, in `fields`.',
      additionalProperties: true,
    }),
    requestId: Uuid,
    status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description:
        'Of the answer: below 400 it was done. Null: not known, since the process died over it.',
    }),
  },
  { title: 'AuditEntry' },
);

export const listAuditEndpoint = endpoint({
  name: 'listAuditEntries',
  method: 'GET',
  path: 'audit',
  access: 'administrator',
  summary: 'Who changed or exported what, and failed sign-ins, newest first',
  query: Type.Object({
    ...pageQuery,
    application: Type.Optional(Uuid),
    member: Type.Optional(Uuid),
    action: Type.Optional(Text),
    from: instantQuery('At this millisecond since the epoch, or later.'),
    to: instantQuery('Before this millisecond since the epoch.'),
  }),
  answer: {
    status: 200,
    description: 'A page of the log.',
    schema: pageSchema(AuditEntry),
    example: {
      items: [
        {
          id: '01a1fda0-9999-7000-8000-000000000009',
          at: 1_795_256_518_052,
          actor: 'member:ada@example.com',
          memberId: '01a1fd9f-5555-7000-8000-000000000005',
          address: '203.0.113.5',
          applicationId: '01a1fd9f-1111-7000-8000-000000000001',
          action: 'PATCH keys/:keyId',
          target: { keyId: '01a1fd9f-2222-7000-8000-000000000002' },
          detail: { type: 'client' },
          requestId: '01a1fda0-848f-725a-80f0-dd4cca31ca29',
          status: 200,
        },
      ],
      nextCursor: null,
    },
  },
});
