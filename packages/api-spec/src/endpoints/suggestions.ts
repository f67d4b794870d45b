import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { Count, oneOf, Slug } from '../schemas.ts';
import { USER_QUESTION_BUSY } from '../user-questions.ts';

const suggested = {
  type: oneOf(['string', 'number', 'boolean', 'array']),
  count: Type.Integer({ minimum: 0, description: 'Users or events that have it.' }),
  values: Type.Array(
    Type.Object({ value: Type.Unsafe<unknown>({ description: 'As it is stored.' }), count: Count }),
    { description: 'The most frequent, at most 20; long values and arrays have none.' },
  ),
};
const VALUES_EXAMPLE = [
  { value: 'pro', count: 310 },
  { value: 'free', count: 1220 },
];

export const listSuggestionsEndpoint = endpoint({
  name: 'listSuggestions',
  method: 'GET',
  access: 'reader',
  path: 'suggestions',
  summary: 'List names, types and frequent values that a condition may compare',
  description: `Of the profiles of some 2,000 users at random, or with \`event\` of the newest 1,000 events of this definition. The most frequent come first; at most 100. Nothing is stored. ${USER_QUESTION_BUSY}`,
  query: Type.Object({
    event: Type.Optional(Slug),
  }),
  answer: {
    status: 200,
    description: 'What there is.',
    schema: Type.Object(
      {
        asked: Type.Integer({ minimum: 0, description: 'Users or events that were read.' }),
        fields: Type.Array(Type.Object({ field: Type.String(), ...suggested }), {
          description: 'Profile fields that many users share.',
        }),
        attributes: Type.Array(
          Type.Object({
            attribute: Type.Unsafe<string | readonly string[]>({
              anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
              description: 'The name, or the keys to a value inside an object.',
            }),
            ...suggested,
          }),
        ),
      },
      { title: 'Suggestions' },
    ),
    example: {
      asked: 2000,
      fields: [
        { field: 'city', type: 'string', count: 1900, values: [{ value: 'Berlin', count: 420 }] },
      ],
      attributes: [{ attribute: 'plan', type: 'string', count: 1530, values: VALUES_EXAMPLE }],
    },
  },
  errorStatuses: [404],
});
