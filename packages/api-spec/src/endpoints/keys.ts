import { KEY_TYPES } from '@tidings/contracts/ingest/records';
import { STORABLE } from '@tidings/contracts/storable-text';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { Instant, NullableInstant, Uuid, oneOf, pageQuery, pageSchema } from '../schemas.ts';

const ORIGINS_MAX = 20;
const ORIGIN_CHARS_MAX = 300;

const Key = {
  id: Uuid,
  type: oneOf(KEY_TYPES),
  name: Type.String(),
  prefix: Type.String({ description: 'The first characters of the key, to recognise it by.' }),
  allowedOrigins: Type.Array(Type.String(), {
    description: 'Browser origins that may use it as a Client key; empty: any.',
  }),
  createdAt: Instant,
  lastUsedAt: NullableInstant,
};
const ApiKey = Type.Object(Key, { title: 'ApiKey' });
const NewApiKey = Type.Object({
  ...Key,
  key: Type.String({ description: 'The key. Shown only once.' }),
});

const KEY_EXAMPLE = {
  id: '01a1fd9f-2222-7000-8000-000000000002',
  type: 'client',
  name: 'Shop in the browser',
  prefix: 'ck_9Fq2',
  allowedOrigins: ['https://shop.example'],
  createdAt: 1_795_256_400_000,
  lastUsedAt: null,
};

export const listKeysEndpoint = endpoint({
  name: 'listKeys',
  method: 'GET',
  path: 'keys',
  access: 'application_administrator',
  summary: 'List active API keys, oldest first',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of keys.',
    schema: pageSchema(ApiKey),
    example: { items: [KEY_EXAMPLE], nextCursor: null },
  },
});

export const createKeyEndpoint = endpoint({
  name: 'createKey',
  method: 'POST',
  path: 'keys',
  access: 'application_administrator',
  summary: 'Create an API key',
  description: 'An application has at most 16 keys: 409 beyond that.',
  body: Type.Object(
    {
      type: oneOf(KEY_TYPES),
      name: Type.String({
        minLength: 1,
        maxLength: 100,
        pattern: STORABLE,
        description: 'text without U+0000 or lone surrogates',
      }),
      allowedOrigins: Type.Optional(
        Type.Array(
          Type.String({
            maxLength: ORIGIN_CHARS_MAX,
            pattern: '^https?://[a-z0-9._:\\[\\]-]+$',
            description: 'an origin, e.g. https://shop.example',
          }),
          { maxItems: ORIGINS_MAX },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  recorded: ['type', 'name', 'allowedOrigins'],
  bodyExample: {
    type: 'client',
    name: 'Shop in the browser',
    allowedOrigins: ['https://shop.example'],
  },
  answer: {
    status: 201,
    description: 'The key, with its secret text.',
    schema: NewApiKey,
    example: { ...KEY_EXAMPLE, key: 'ck_9Fq2mT0uWm3nQnGx4c5K8hYpLr7vZaBdEs1Ji6Ot' },
  },
  errorStatuses: [409],
});

export const changeKeyEndpoint = endpoint({
  name: 'changeKey',
  method: 'PATCH',
  path: 'keys/:keyId',
  access: 'application_administrator',
  summary: 'Change a Server key to a Client key; this can’t be undone',
  parameters: { keyId: Uuid },
  description: '409 for `server`, and for a key that is already a Client key.',
  body: Type.Object({ type: oneOf(['client', 'server']) }, { additionalProperties: false }),
  recorded: ['type'],
  bodyExample: { type: 'client' },
  answer: { status: 200, description: 'The key.', schema: ApiKey, example: KEY_EXAMPLE },
  errorStatuses: [404, 409],
});

export const deleteKeyEndpoint = endpoint({
  name: 'deleteKey',
  method: 'DELETE',
  path: 'keys/:keyId',
  access: 'application_administrator',
  summary: 'Revoke an API key; effective on all gateways within 5 s',
  parameters: { keyId: Uuid },
  answer: { status: 204, description: 'Revoked.' },
  errorStatuses: [404],
});
