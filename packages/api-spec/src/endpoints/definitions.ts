import { EVENT_KINDS } from '@tidings/contracts/ingest/ingest';
import { LIMITS } from '@tidings/contracts/limits';
import { STORABLE, STORABLE_NOT_BLANK } from '@tidings/contracts/storable-text';
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

const Slug = Type.String({ pattern: STORABLE, description: 'The slug of a definition.' });
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
      description: 'Created by a Client key; counts towards the budget of Client keys.',
    }),
    createdAt: Instant,
    mergedInto: Type.Optional(
      Type.String({
        description: 'The slug of the definition that this one was merged into.',
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
        'Stored events, including those of merged definitions and of unregistered users.',
    }),
    eventsLastDay: Type.Integer({
      minimum: 0,
      description: 'Events of the last 24 hours, by event time.',
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
  summary: 'List event definitions by name',
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
/** Fields of every chart besides its points. */
const chart = {
  timeZone: Type.String({
    description: 'The application’s time zone. Points are its hours, days, weeks or months.',
  }),
  outside: Type.Integer({
    minimum: 0,
    description:
      'Events that no chart shows: their time is more than 400 days before, or more than 1 day after, their arrival.',
  }),
  byArrival: Type.Integer({
    minimum: 0,
    description:
      'Events in these points that are counted by arrival hour, because they were deleted before charts used event time.',
  }),
  countedFrom: CountedFrom,
};
const Revenue = Type.Unsafe<Record<string, number>>({
  type: 'object',
  additionalProperties: { type: 'number' },
  description: 'Sums by currency.',
});
export const POINTS_MAX = 2_000;
/** Local dates need a four-digit year. */
const CHART_INSTANT_MAX = Date.UTC(9999, 0, 1);
const span = {
  from: instantQuery(
    'Milliseconds since the epoch. The first point is the step that contains it. Default: a week before `to`.',
    CHART_INSTANT_MAX,
  ),
  to: instantQuery(
    'Milliseconds since the epoch, rounded to a quarter of an hour. Only events before it count. Default: now.',
    CHART_INSTANT_MAX,
  ),
  step: Type.Optional(oneOf(CHART_STEPS)),
  points: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: POINTS_MAX,
      description: 'Number of steps up to `to`. Replaces `from`.',
    }),
  ),
};

export const readDefinitionEndpoint = endpoint({
  name: 'readDefinition',
  method: 'GET',
  path: 'definitions/:slug',
  access: 'reader',
  summary: 'Read an event definition with its newest events',
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
  summary: 'Read the events of a definition over time',
  description:
    'Counts by event time, per hour, day, week (from Monday) or month in the application’s time zone. Those without events are points too. At most 2,000 points; more get 400.',
  parameters: { slug: Slug },
  query: Type.Object(span),
  answer: {
    status: 200,
    description: 'Points, oldest first.',
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
  summary: 'Read revenue by currency, total and over time',
  description:
    'Sums by event time, per hour, day, week (from Monday) or month in the application’s time zone. Currencies are never mixed. At most 2,000 points; more get 400.',
  query: Type.Object(span),
  answer: {
    status: 200,
    description: 'Totals, and points, oldest first.',
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
  summary: 'Create an event definition before its first event',
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
  summary: 'Rename, discard or restore a definition',
  description:
    'New events of a discarded definition are dropped with the reason `definition_discarded`. 409 when the name is taken, the definition is merged into another, or the budget is too full to restore it.',
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
  summary: 'Delete a definition without stored events',
  description:
    'Its slug is never reused for another name. An event or `POST definitions` with its name restores it under the same slug. 409 when a stored or held event refers to it, or when it is merged with another. 503 when the search for such events takes more than 5 s: retry.',
  parameters: { slug: Slug },
  answer: { status: 204, description: 'Deleted.' },
  errorStatuses: [404, 409],
});

export const mergeDefinitionEndpoint = endpoint({
  name: 'mergeDefinition',
  method: 'POST',
  path: 'definitions/:slug/merge',
  access: 'application_administrator',
  summary: 'Merge a definition into another',
  description:
    'Its past and future events count for the target. Its slug and name stay reserved. 409 for a target of another kind, itself, or one that is merged or discarded.',
  parameters: { slug: Slug },
  body: Type.Object({ into: Slug }, { additionalProperties: false }),
  recorded: ['into'],
  bodyExample: { into: 'asdfg' },
  answer: {
    status: 200,
    description: 'The merged definition.',
    schema: Definition,
    example: { ...DEFINITION_EXAMPLE, mergedInto: 'asdfg' },
  },
  errorStatuses: [404, 409],
});
