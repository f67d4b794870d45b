import { EVENT_KINDS, LIMITS } from '@tidings/contracts';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { STORABLE, STORABLE_NOT_BLANK } from '../plain-text.ts';
import { Instant, oneOf, pageQuery, pageSchema } from '../schemas.ts';

const Slug = Type.String({ pattern: STORABLE, description: 'A slug of a definition.' });
const Name = Type.String({ minLength: 1, maxLength: LIMITS.customNameCharsMax, pattern: STORABLE_NOT_BLANK, description: 'text that is not blank' });

const Definition = Type.Object(
  {
    slug: Type.String(),
    name: Type.String(),
    kind: oneOf(EVENT_KINDS),
    origin: oneOf(['auto', 'predefined']),
    discarded: Type.Boolean(),
    createdAt: Instant,
    mergedInto: Type.Optional(Type.String({ description: 'The slug of the definition that this one became another name of.' })),
  },
  { title: 'Definition' },
);

const DEFINITION_EXAMPLE = { slug: 'qwert', name: 'item_viewed', kind: 'action', origin: 'predefined', discarded: false, createdAt: 1_795_256_400_000 };

export const listDefinitionsEndpoint = endpoint({
  method: 'GET',
  path: 'definitions',
  access: 'reader',
  summary: 'Event definitions, by name',
  query: Type.Object(pageQuery),
  answer: { status: 200, description: 'A page of definitions.', schema: pageSchema(Definition), example: { items: [DEFINITION_EXAMPLE], nextCursor: null } },
});

export const createDefinitionEndpoint = endpoint({
  method: 'POST',
  path: 'definitions',
  access: 'application_administrator',
  summary: 'Makes a definition ahead of its first event',
  body: Type.Object({ name: Name, kind: oneOf(EVENT_KINDS) }, { additionalProperties: false }),
  recorded: ['name', 'kind'],
  bodyExample: { name: 'item_viewed', kind: 'action' },
  answer: { status: 201, description: 'The definition.', schema: Definition, example: DEFINITION_EXAMPLE },
  refusals: [409],
});

export const changeDefinitionEndpoint = endpoint({
  method: 'PATCH',
  path: 'definitions/:slug',
  access: 'application_administrator',
  summary: 'Renames or discards a definition',
  description: 'Later events of a discarded one are dropped with the reason `definition_discarded`. 409 when the name is taken, or the definition is merged into another.',
  parameters: { slug: Slug },
  body: Type.Object({ name: Type.Optional(Name), discarded: Type.Optional(Type.Boolean()) }, { additionalProperties: false }),
  recorded: ['name', 'discarded'],
  bodyExample: { name: 'product_viewed', discarded: false },
  answer: { status: 200, description: 'The definition.', schema: Definition, example: { ...DEFINITION_EXAMPLE, name: 'product_viewed' } },
  refusals: [404, 409],
});

export const mergeDefinitionEndpoint = endpoint({
  method: 'POST',
  path: 'definitions/:slug/merge',
  access: 'application_administrator',
  summary: 'Makes a definition another name of a different one',
  description: 'Its events, those that were and those to come, count as that one’s; slug and name stay taken. 409 for another kind, itself, or one that is merged or discarded.',
  parameters: { slug: Slug },
  body: Type.Object({ into: Slug }, { additionalProperties: false }),
  recorded: ['into'],
  bodyExample: { into: 'asdfg' },
  answer: { status: 200, description: 'The definition that was merged.', schema: Definition, example: { ...DEFINITION_EXAMPLE, mergedInto: 'asdfg' } },
  refusals: [404, 409],
});
