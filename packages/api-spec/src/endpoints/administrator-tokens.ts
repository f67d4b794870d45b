import { STORABLE_LINE } from '@tidings/contracts/storable-text';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { Instant, NullableInstant, Uuid, pageQuery, pageSchema } from '../schemas.ts';

const NAME_CHARS_MAX = 100;

const Token = {
  id: Uuid,
  name: Type.String(),
  prefix: Type.String({
    description: 'The first characters of the token, to recognise it by.',
  }),
  createdBy: Type.String({
    description:
      'The creator, e.g. `member:ada@example.com`; empty for a token created without a session.',
  }),
  createdAt: Instant,
  lastUsedAt: NullableInstant,
};
const AdministratorToken = Type.Object(Token, { title: 'AdministratorToken' });
const NewAdministratorToken = Type.Object({
  ...Token,
  token: Type.String({ description: 'The token. Shown only once.' }),
});

const TOKEN_EXAMPLE = {
  id: '01a1fd9f-6666-7000-8000-000000000006',
  name: 'Deployment',
  prefix: 'at_9Fq2',
  createdBy: 'member:ada@example.com',
  createdAt: 1_795_256_400_000,
  lastUsedAt: null,
};

export const listTokensEndpoint = endpoint({
  name: 'listAdministratorTokens',
  method: 'GET',
  path: 'administrator-tokens',
  access: 'member',
  summary: 'List active administrator tokens, oldest first',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of tokens.',
    schema: pageSchema(AdministratorToken),
    example: { items: [TOKEN_EXAMPLE], nextCursor: null },
  },
});

export const createTokenEndpoint = endpoint({
  name: 'createAdministratorToken',
  method: 'POST',
  path: 'administrator-tokens',
  access: 'member',
  summary: 'Create an administrator token',
  description:
    'The token has the permissions of an admin in all applications. Requires a session: a leaked token cannot create further tokens.',
  body: Type.Object(
    {
      name: Type.String({
        minLength: 1,
        maxLength: NAME_CHARS_MAX,
        pattern: STORABLE_LINE,
        description: 'one line of text',
      }),
    },
    { additionalProperties: false },
  ),
  bodyExample: { name: 'Deployment' },
  recorded: ['name'],
  answer: {
    status: 201,
    description: 'The token, with its secret text.',
    schema: NewAdministratorToken,
    example: { ...TOKEN_EXAMPLE, token: 'at_9Fq2mT0uWm3nQnGx4c5K8hYpLr7vZaBdEs1Ji6Ot' },
  },
});

export const deleteTokenEndpoint = endpoint({
  name: 'deleteAdministratorToken',
  method: 'DELETE',
  path: 'administrator-tokens/:tokenId',
  access: 'member',
  summary: 'Revoke an administrator token at once',
  parameters: { tokenId: Uuid },
  answer: { status: 204, description: 'Revoked.' },
  errorStatuses: [404],
});
