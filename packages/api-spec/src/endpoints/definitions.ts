import { EVENT_KINDS, LIMITS, STORABLE, STORABLE_NOT_BLANK } from '@tidings/contracts';
import { Type } from 'typebox';
import { CHART_STEPS } from '../chart-steps.ts';
import { endpoint } from '../endpoint.ts';
import { LISTED_EVENT_EXAMPLE, ListedEvent } from '../listed-event.ts';
import {
  Count,
  CountedFrom,
  Instant,
  NullableInstant,
  instantQuery,
  oneOf,
  pageQuery,
  pageSchema,
} from '../schemas.ts';

const Slug = Type.String({ pattern: STORABLE, description: 'A slug of a definition.' });
const Name = Type.String({
  minLength: 1,
  maxLength: LIMITS.customNameCharsMax,
  pattern: STORABLE_NOT_BLANK,
  description: 'text that is not blank',
});

const Definition = Type.Object(
  {
    slug: Type.String(),
    name: Type.String(),
    kind: oneOf(EVENT_KINDS),
    origin: oneOf(['auto', 'predefined']),
    discarded: Type.Boolean(),
    byClientKey: Type.Boolean({
      description: 'A Client key sent its name first: it counts in the budget of Client keys.',
    }),
    createdAt: Instant,
    mergedInto: Type.Optional(
      Type.String({
        description: 'The slug of the definition that this one became another name of.',
      }),
    ),
  },
  { title: 'Definition' },
);

const UsedDefinition = Type.Object(
  {
    ...Definition.properties,
    events: Type.Integer({
      minimum: 0,
      description:
        'Stored so far, those of definitions merged into it and of users who are not registered included.',
    }),
    eventsLastDay: Type.Integer({
      minimum: 0,
      description: 'Events that happened within the last 24 hours, by their time.',
    }),
    lastReceivedAt: NullableInstant,
  },
  { title: 'UsedDefinition' },
);

const DEFINITION_EXAMPLE = {
  slug: 'qwert',
  name: 'item_viewed',
  kind: 'action',
  origin: 'predefined',
  discarded: false,
  byClientKey: false,
  createdAt: 1_795_256_400_000,
};
const USED_EXAMPLE = {
  ...DEFINITION_EXAMPLE,
  events: 12,
  eventsLastDay: 3,
  lastReceivedAt: 1_795_256_516_534,
};

export const listDefinitionsEndpoint = endpoint({
  name: 'listDefinitions',
  method: 'GET',
  path: 'definitions',
  access: 'reader',
  summary: 'Event definitions, by name',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of definitions.',
    schema: pageSchema(UsedDefinition),
    example: { items: [USED_EXAMPLE], nextCursor: null },
  },
});

const points = (example: object) => ({
  timeZone: 'Europe/Berlin',
  items: [{ at: 1_795_255_200_000, ...example }],
  outside: 0,
  byArrival: 0,
  countedFrom: null,
});
/** What a chart says beside its points. */
const chart = {
  timeZone: Type.String({
    description: 'The time zone of the application, whose hours and days the points are.',
  }),
  outside: Type.Integer({
    minimum: 0,
    description:
      'Events that no chart shows, whenever they came: their time is more than 400 days before or more than 1 day after their arrival.',
  }),
  byArrival: Type.Integer({
    minimum: 0,
    description:
      'Events in these points that stand by the hour of their arrival: they were deleted before charts went by event time.',
  }),
  countedFrom: CountedFrom,
};
const Revenue = Type.Unsafe<Record<string, number>>({
  type: 'object',
  additionalProperties: { type: 'number' },
  description: 'By currency.',
});
export const POINTS_MAX = 2_000;
/** Local dates have a year of four digits. */
const CHART_INSTANT_MAX = Date.UTC(9999, 0, 1);
const span = {
  from: instantQuery(
    'Milliseconds since the epoch: the first point is the hour or day of this instant; a week before `to` when absent.',
    CHART_INSTANT_MAX,
  ),
  to: instantQuery(
    'Milliseconds since the epoch: events that happened before this quarter of an hour; now when absent.',
    CHART_INSTANT_MAX,
  ),
  step: Type.Optional(oneOf(CHART_STEPS)),
  points: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: POINTS_MAX,
      description: 'The last so many hours or days up to `to`, in place of `from`.',
    }),
  ),
};

export const readDefinitionEndpoint = endpoint({
  name: 'readDefinition',
  method: 'GET',
  path: 'definitions/:slug',
  access: 'reader',
  summary: 'An event definition with its newest events',
  parameters: { slug: Slug },
  answer: {
    status: 200,
    description: 'The definition.',
    schema: Type.Object({ ...UsedDefinition.properties, samples: Type.Array(ListedEvent) }),
    example: { ...USED_EXAMPLE, samples: [LISTED_EVENT_EXAMPLE] },
  },
  errorStatuses: [404],
});

export const readChartEndpoint = endpoint({
  name: 'readDefinitionChart',
  method: 'GET',
  path: 'definitions/:slug/chart',
  access: 'reader',
  summary: 'The events of a definition over time',
  description:
    'By the time of the events. Hours and days are those of the application’s time zone. Every hour or day is a point, those without events too. At most 2,000 points: 400 for a longer time.',
  parameters: { slug: Slug },
  query: Type.Object(span),
  answer: {
    status: 200,
    description: 'The points, the oldest first.',
    schema: Type.Object({
      ...chart,
      items: Type.Array(Type.Object({ at: Instant, events: Count, revenue: Revenue })),
    }),
    example: points({ events: 12, revenue: {} }),
  },
  errorStatuses: [404],
});

export const readRevenueEndpoint = endpoint({
  name: 'readRevenue',
  method: 'GET',
  path: 'revenue',
  access: 'reader',
  summary: 'Revenue of a time by currency, and over time',
  description:
    'By the time of the events. Currencies never mix. Hours and days are those of the application’s time zone. At most 2,000 points: 400 for a longer time.',
  query: Type.Object(span),
  answer: {
    status: 200,
    description: 'Sums, and points from the oldest on.',
    schema: Type.Object({
      ...chart,
      currencies: Type.Array(
        Type.Object({ currency: Type.String(), events: Count, revenue: Type.Number() }),
      ),
      items: Type.Array(Type.Object({ at: Instant, revenue: Revenue })),
    }),
    example: {
      currencies: [{ currency: 'EUR', events: 3, revenue: 66 }],
      ...points({ revenue: { EUR: 66 } }),
    },
  },
});

export const createDefinitionEndpoint = endpoint({
  name: 'createDefinition',
  method: 'POST',
  path: 'definitions',
  access: 'application_administrator',
  summary: 'Makes a definition ahead of its first event',
  body: Type.Object({ name: Name, kind: oneOf(EVENT_KINDS) }, { additionalProperties: false }),
  recorded: ['name', 'kind'],
  bodyExample: { name: 'item_viewed', kind: 'action' },
  answer: {
    status: 201,
    description: 'The definition.',
    schema: Definition,
    example: DEFINITION_EXAMPLE,
  },
  errorStatuses: [409],
});

export const changeDefinitionEndpoint = endpoint({
  name: 'changeDefinition',
  method: 'PATCH',
  path: 'definitions/:slug',
  access: 'application_administrator',
  summary: 'Renames or discards a definition',
  description:
    'Later events of a discarded one are dropped with the reason `definition_discarded`. 409 when the name is taken, the definition is merged into another, or the budget has no room for one that is taken back.',
  parameters: { slug: Slug },
  body: Type.Object(
    { name: Type.Optional(Name), discarded: Type.Optional(Type.Boolean()) },
    { additionalProperties: false },
  ),
  recorded: ['name', 'discarded'],
  bodyExample: { name: 'product_viewed', discarded: false },
  answer: {
    status: 200,
    description: 'The definition.',
    schema: Definition,
    example: { ...DEFINITION_EXAMPLE, name: 'product_viewed' },
  },
  errorStatuses: [404, 409],
});

export const deleteDefinitionEndpoint = endpoint({
  name: 'deleteDefinition',
  method: 'DELETE',
  path: 'definitions/:slug',
  access: 'application_administrator',
  summary: 'Deletes a definition without stored events',
  description:
    'Its slug is never given to another name; an event or `POST definitions` with its name brings it back under that slug. 409 where a stored event refers to it, held events included, and where it is merged with another. 503 where the search for such an event takes more than 5 s: try again.',
  parameters: { slug: Slug },
  answer: { status: 204, description: 'It is deleted.' },
  errorStatuses: [404, 409],
});

export const mergeDefinitionEndpoint = endpoint({
  name: 'mergeDefinition',
  method: 'POST',
  path: 'definitions/:slug/merge',
  access: 'application_administrator',
  summary: 'Makes a definition another name of a different one',
  description:
    'Its events, those that were and those to come, count as that one’s; slug and name stay taken. 409 for another kind, itself, or one that is merged or discarded.',
  parameters: { slug: Slug },
  body: Type.Object({ into: Slug }, { additionalProperties: false }),
  recorded: ['into'],
  bodyExample: { into: 'asdfg' },
  answer: {
    status: 200,
    description: 'The definition that was merged.',
    schema: Definition,
    example: { ...DEFINITION_EXAMPLE, mergedInto: 'asdfg' },
  },
  errorStatuses: [404, 409],
});
