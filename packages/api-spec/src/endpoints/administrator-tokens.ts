import { STORABLE_LINE } from '@tidings/contracts';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { Instant, NullableInstant, Uuid, pageQuery, pageSchema } from '../schemas.ts';

const NAME_CHARS_MAX = 100;

const Token = {
  id: Uuid,
  name: Type.String(),
  prefix: Type.String({
    description: 'The first characters of the token, enough to recognise it.',
  }),
  createdBy: Type.String({
    description: 'Who made it; empty where that was nobody with a session.',
  }),
  createdAt: Instant,
  lastUsedAt: NullableInstant,
};
const AdministratorToken = Type.Object(Token, { title: 'AdministratorToken' });
const NewAdministratorToken = Type.Object({
  ...Token,
  token: Type.String({ description: 'The token itself, shown this once.' }),
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
  summary: 'The live administrator tokens, oldest first',
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
  summary: 'Makes an administrator token, which may do what an admin may in all applications',
  description: 'Only with a session: whoever has found a token cannot make more of them.',
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
    description: 'The token with its text.',
    schema: NewAdministratorToken,
    example: { ...TOKEN_EXAMPLE, token: 'at_9Fq2mT0uWm3nQnGx4c5K8hYpLr7vZaBdEs1Ji6Ot' },
  },
});

export const deleteTokenEndpoint = endpoint({
  name: 'deleteAdministratorToken',
  method: 'DELETE',
  path: 'administrator-tokens/:tokenId',
  access: 'member',
  summary: 'Ends an administrator token at once',
  parameters: { tokenId: Uuid },
  answer: { status: 204, description: 'It is gone.' },
  errorStatuses: [404],
});
