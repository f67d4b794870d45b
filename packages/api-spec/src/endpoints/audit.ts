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
        '`member:` and an e-mail address, `token:` and the name of an administrator token, or `key:` and the name of a Server key. `sign-in` for a failed sign-in; `memberId` then names the account, if it exists.',
    }),
    memberId: Type.Optional(Uuid),
    tokenId: Type.Optional(Uuid),
    address: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The IP address of the caller.',
    }),
    applicationId: NullableUuid,
    action: Type.String({ description: 'Method and path, e.g. `POST keys`.' }),
    target: Type.Unsafe<object>({
      type: 'object',
      description: 'Ids of the changed or created objects.',
      additionalProperties: { type: 'string' },
    }),
    detail: Type.Unsafe<object>({
      type: 'object',
      description:
        'The request body: selected fields with their values. `fields` lists the names of all others; secrets are never stored.',
      additionalProperties: true,
    }),
    requestId: Uuid,
    status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description:
        'HTTP status of the response; below 400: done. Null: unknown, because the process died before the response.',
    }),
  },
  { title: 'AuditEntry' },
);

export const listAuditEndpoint = endpoint({
  name: 'listAuditEntries',
  method: 'GET',
  path: 'audit',
  access: 'administrator',
  summary: 'List changes, exports and failed sign-ins, newest first',
  query: Type.Object({
    ...pageQuery,
    application: Type.Optional(Uuid),
    member: Type.Optional(Uuid),
    action: Type.Optional(Text),
    from: instantQuery('At or after this instant (milliseconds since the epoch).'),
    to: instantQuery('Before this instant (milliseconds since the epoch).'),
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
